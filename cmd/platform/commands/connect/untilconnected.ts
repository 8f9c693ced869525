import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { Cli } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { Failure } from '../../failure.js';

const CHECK_INTERVAL_MS = 500;

type Status = NonNullable<Cluster['status']>;

interface Waiting {
  readonly name: string;
  readonly timeoutMs: number;
  readonly isExpected: (status: Status) => boolean;
  readonly whyNot: (status: Status) => {
    /** What is told while it waits, and at the end; empty: nothing. */
    readonly said: string;
    /** What to do where it is not connected. */
    readonly advice: string;
    /** Whether the wait ends at once. */
    readonly isFinal: boolean;
  };
}

/** Waits until the server has spoken to the cluster, and tells why it has not yet, and how long it tries. Rejects with a Failure. */
export async function untilConnected(
  { terminal }: Cli,
  client: Client,
  { name, timeoutMs, isExpected, whyNot }: Waiting,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  const until = new Date(Date.now() + timeoutMs).toLocaleTimeString('en-GB');
  for (let told = ''; ; await sleep(CHECK_INTERVAL_MS)) {
    const { status = {} } = await client.get<Cluster>({ resource: 'clusters', name });
    if (status.phase === 'Ready' && status.online === true && isExpected(status)) {
      const version = status.version === undefined ? '' : `, which is of version ${status.version}`;
      return terminal.tell(`Connected: the server reaches cluster "${name}"${version}.`);
    }
    const { said, advice, isFinal } = whyNot(status);
    if (isFinal || performance.now() > end)
      throw new Failure(
        'failed',
        `cluster "${name}" is not connected${isFinal ? '' : ' yet'}${said && `: ${said}`}`,
        { advice },
      );
    if (said !== told) terminal.tell(`${said}; trying until ${until} ...`);
    told = said;
  }
}
