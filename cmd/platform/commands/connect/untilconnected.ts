import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { Cli } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { Failure } from '../../failure.js';

const CHECK_INTERVAL_MS = 500;

interface Waiting {
  readonly name: string;
  readonly timeoutMs: number;
  readonly isExpected: (status: NonNullable<Cluster['status']>) => boolean;
  /** Reasons in the status that end the wait at once; absent: none. */
  readonly final?: readonly string[];
  /** What to do where it is not connected; `why`: the message in the status. */
  readonly advice: (why: string) => string;
}

/** Waits until the server has spoken to the cluster, and tells why it has not yet. Rejects with a Failure. */
export async function untilConnected(
  { terminal }: Cli,
  client: Client,
  { name, timeoutMs, isExpected, final = [], advice }: Waiting,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (let printed = ''; ; await sleep(CHECK_INTERVAL_MS)) {
    const { status = {} } = await client.get<Cluster>({ resource: 'clusters', name });
    if (status.phase === 'Ready' && status.online === true && isExpected(status)) {
      const version = status.version === undefined ? '' : `, which is of version ${status.version}`;
      return terminal.tell(`Connected: the server reaches cluster "${name}"${version}.`);
    }
    const why = status.message ?? '';
    const isFinal = final.includes(status.reason ?? '');
    if (isFinal || performance.now() > end)
      throw new Failure(
        'failed',
        `cluster "${name}" is not connected${isFinal ? '' : ' yet'}${why && `: ${why}`}`,
        {
          advice: advice(why),
        },
      );
    if (why !== printed) terminal.tell(`${why} ...`);
    printed = why;
  }
}
