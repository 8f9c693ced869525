import { must, type Client } from './client.js';
import { cpuSeconds, residentBytes } from './cpu.js';
import type { Load } from './load.js';
import type { Measured } from './rows/row.js';
import type { Target } from './targets/target.js';

/** The resolution of `monitorEventLoopDelay` as /metrics uses it: a loop that is never blocked shows this. */
const LOOP_RESOLUTION = 0.01;

/** Runs the load and takes down what the server, and its etcd, used meanwhile. */
export async function measure(
  target: Pick<Target, 'pid' | 'storePid' | 'eventLoop' | 'allocatedBytes'>,
  client: Client,
  run: () => Promise<Load>,
): Promise<Measured> {
  await longestBlock(target, client); // a reading starts the next interval
  const before = cpuSeconds(target.pid);
  const storeBefore = storeSeconds(target);
  const allocatedBefore = target.allocatedBytes?.() ?? 0;
  const load = await run();
  const used = cpuSeconds(target.pid) - before;
  const storeUsed = storeSeconds(target) - storeBefore;
  const allocated = target.allocatedBytes && target.allocatedBytes() - allocatedBefore;
  return {
    value: used / load.operations,
    allocated: allocated && allocated / load.operations,
    storeCpu: target.storePid === undefined ? undefined : storeUsed / load.operations,
    residentBytes: residentBytes(target.pid),
    load,
    blocked: await longestBlock(target, client),
  };
}

const storeSeconds = ({ storePid }: Pick<Target, 'storePid'>): number =>
  storePid === undefined ? 0 : cpuSeconds(storePid);

/** The longest block of the event loop since the last reading, in seconds; undefined where it is not told. */
async function longestBlock(
  { eventLoop }: Pick<Target, 'eventLoop'>,
  client: Client,
): Promise<number | undefined> {
  if (!eventLoop) return undefined;
  const { body } = await must(client, { path: '/metrics' });
  const longest = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(body.toString())?.[1];
  return longest === undefined ? undefined : Math.max(0, Number(longest) - LOOP_RESOLUTION);
}
