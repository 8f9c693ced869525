import { setTimeout as sleep } from 'node:timers/promises';
import type { Cli } from '../../cli.js';
import type { Client, Place } from '../../connection/client.js';
import { Failure } from '../../failure.js';

const CHECK_INTERVAL_MS = 500;
const READY_TIMEOUT_MS = 5 * 60_000;

interface Status {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Waits until a space is ready, and tells why it is not yet whenever that changes. Rejects with a Failure where it failed,
 * where nothing creates it, or after five minutes.
 */
export async function untilReady(
  { terminal }: Cli,
  client: Client,
  place: Place,
  word: string,
): Promise<void> {
  const end = performance.now() + READY_TIMEOUT_MS;
  const what = `${word} "${place.name ?? ''}"`;
  for (let printed = ''; ; await sleep(CHECK_INTERVAL_MS)) {
    const { status } = await client.get(place);
    const { phase = 'Pending', reason = '', message = '' }: Status = status ?? {};
    if (phase === 'Ready') return terminal.tell(`The ${what} is ready.`);
    const why = [phase, reason, message].filter((part) => part !== '').join(': ');
    if (reason === 'NoProvisioner') throw new Failure('failed', `the ${what} is not created: ${message}`);
    if (phase === 'Failed') throw new Failure('failed', `the ${what} failed: ${why}`);
    if (performance.now() > end) throw new Failure('failed', `the ${what} is not ready yet: ${why}`);
    if (why !== printed) terminal.tell(`${why} ...`);
    printed = why;
  }
}
