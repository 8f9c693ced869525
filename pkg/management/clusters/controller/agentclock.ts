/** The condition of a Cluster about the clocks of its agents' machines. */
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { ConnectedAgents } from '../client/interface.js';
import type { WantedCondition } from '../../../controllers/condition.js';

const TYPE = 'AgentClockSynchronized';
const REPORTED_DIFFERENCE_MS = 5_000;
const MINUTE_MS = 60_000;

/** Undefined if no clock was ever wrong. */
export function agentClock(
  { status = {} }: Cluster,
  agents: ConnectedAgents | undefined,
): readonly WantedCondition[] {
  const { clockAheadMs: ahead } = agents ?? {};
  if (ahead !== undefined && Math.abs(ahead) >= REPORTED_DIFFERENCE_MS)
    return [{ type: TYPE, status: 'False', reason: 'ClockIsWrong', message: wrong(ahead) }];
  if (!(status.conditions ?? []).some(({ type }) => type === TYPE)) return [];
  return ahead === undefined
    ? [{ type: TYPE, status: 'Unknown', reason: 'NoAgent', message: 'no agent tells its time' }]
    : [{ type: TYPE, status: 'True', reason: 'Synchronized', message: '' }];
}

/** In steps, as clocks drift and every different message is a write. */
function wrong(ahead: number): string {
  const off = Math.abs(ahead);
  const difference =
    off < 2 * MINUTE_MS ? 'a few seconds' : `about ${roundedMinutes(off / MINUTE_MS)} minutes`;
  return `the clock of an agent's machine is ${difference} ${ahead > 0 ? 'ahead' : 'behind'}; the agent judges tokens by the time of this server`;
}

/** Rounds to two digits. */
function roundedMinutes(minutes: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(minutes)) - 1);
  return Math.round(minutes / step) * step;
}
