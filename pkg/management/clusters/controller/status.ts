/** The status of a Cluster. */
import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { ConnectedAgents } from '../client/interface.js';
import { withWantedConditions } from '../../../controllers/condition.js';
import type { LatencyReports } from './latency.js';
import type { Probed } from './probe.js';

type Status = NonNullable<Cluster['status']>;

/** The members of a status about the connection. */
export type Health = Pick<Status, 'version' | 'latencyMilliseconds' | 'agent'>;

/** `agents`: undefined: none is connected. `now`: as `performance.now()`. */
export function healthOf(
  { metadata: { name = '' }, status = {} }: Cluster,
  { version = status.version, latencyMs }: Probed,
  agents: ConnectedAgents | undefined,
  reports: LatencyReports,
  now: number,
): Health {
  const latencyMilliseconds = reports.report(name, status.latencyMilliseconds, latencyMs, now);
  const ofAgent = reports.report(agentKey(name), status.agent?.latencyMilliseconds, agents?.latencyMs, now);
  const agent = agents && {
    ...(agents.version !== undefined && { version: agents.version }),
    ...(ofAgent !== undefined && { latencyMilliseconds: ofAgent }),
  };
  return {
    ...(version !== undefined && { version }),
    ...(latencyMilliseconds !== undefined && { latencyMilliseconds }),
    ...(agent !== undefined && { agent }),
  };
}

/** Forgets a Cluster that was deleted. */
export function forgetHealth(name: string, reports: LatencyReports): void {
  reports.forget(name);
  reports.forget(agentKey(name));
}

/** No Cluster has such a name. */
const agentKey = (cluster: string): string => `${cluster}/agent`;

/** Undefined if the status needs no change. */
export function withProbed(
  copy: Cluster,
  { phase, online, reason, message, conditions }: Probed,
  health: Health,
): Cluster | undefined {
  const changed = withWantedConditions(copy, conditions) ?? copy;
  const { version: _version, latencyMilliseconds: _latency, agent: _agent, ...rest } = changed.status ?? {};
  const status = { ...rest, phase, online, reason, message, ...health };
  return isDeepStrictEqual(status, copy.status) ? undefined : { ...changed, status };
}
