/** The state of this process. It has no heap snapshot, which would contain every secret. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { versionInfo } from '../version.js';
import { rounded } from '../stages.js';

/** Of the timer that measures delays. */
const RESOLUTION_MS = 10;
const NANOSECONDS = 1e6;

/**
 * Measures the event loop for this time, or until the signal, then returns the state. Delays are in milliseconds;
 * sizes in bytes.
 */
export async function processState(seconds: number, signal: AbortSignal): Promise<object> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const before = { loop: performance.eventLoopUtilization(), cpu: process.cpuUsage(), at: performance.now() };
  delay.enable();
  await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined);
  delay.disable();
  const watched = performance.now() - before.at;
  const { utilization } = performance.eventLoopUtilization(before.loop);
  const { user, system } = process.cpuUsage(before.cpu);
  // The timer fires after its resolution; the rest is delay.
  const late = (nanoseconds: number): number =>
    rounded(Math.max(0, (Number.isFinite(nanoseconds) ? nanoseconds : 0) / NANOSECONDS - RESOLUTION_MS));
  return {
    process: {
      pid: process.pid,
      uptimeSeconds: Math.round(process.uptime()),
      node: process.version,
      version: versionInfo().gitVersion,
    },
    measuredSeconds: rounded(watched / 1000),
    cpu: { userSeconds: rounded(user / 1e6), systemSeconds: rounded(system / 1e6) },
    eventLoop: {
      utilization: rounded(utilization),
      delay: {
        mean: late(delay.mean),
        p50: late(delay.percentile(50)),
        p99: late(delay.percentile(99)),
        max: late(delay.max),
      },
    },
    memory: process.memoryUsage(),
    heap: getHeapStatistics(),
    heapSpaces: getHeapSpaceStatistics(),
    activeResources: counted(process.getActiveResourcesInfo()),
  };
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
