import { describe, expect, test } from '@jest/globals';
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { LatencyReports } from './latency.js';
import type { Probed } from './probe.js';
import { healthOf, withProbed } from './status.js';

const ONLINE: Probed = {
  phase: 'Ready',
  online: true,
  reason: 'Online',
  message: 'the cluster answers',
  conditions: [{ type: 'Online', status: 'True', reason: 'Online', message: 'the cluster answers' }],
  version: 'v1.36.0',
  latencyMs: 12,
};
const AWAY: Probed = {
  phase: 'Failed',
  online: false,
  reason: 'Unreachable',
  message: 'it cannot be reached',
  conditions: [{ type: 'Online', status: 'False', reason: 'Unreachable', message: '' }],
};
const AGENT = { version: '0.1.0', latencyMs: 3 };

/** The next state, as JSON like in the store. Undefined: nothing is written. */
function next(
  reports: LatencyReports,
  cluster: Cluster,
  probed: Probed,
  agents?: object,
): Cluster | undefined {
  const changed = withProbed(cluster, probed, healthOf(cluster, probed, agents, reports, 0));
  return changed && (JSON.parse(JSON.stringify(changed)) as Cluster);
}

const NEW: Cluster = { kind: 'Cluster', apiVersion: 'management.svc.example/v1', metadata: { name: 'east' } };

describe('the status of a Cluster', () => {
  test('has version and latencies, and is written only when they change', () => {
    const reports = new LatencyReports();
    const first = next(reports, NEW, ONLINE, AGENT) ?? NEW;
    expect(first.status).toMatchObject({
      phase: 'Ready',
      online: true,
      version: 'v1.36.0',
      latencyMilliseconds: 12,
      agent: { version: '0.1.0', latencyMilliseconds: 3 },
    });
    expect(next(reports, first, { ...ONLINE, latencyMs: 15 }, { ...AGENT, latencyMs: 5 })).toBeUndefined();
    expect(next(reports, first, ONLINE, { ...AGENT, version: '0.2.0' })?.status?.agent?.version).toBe(
      '0.2.0',
    );
  });

  test('keeps only the version while the cluster is unreachable', () => {
    const reports = new LatencyReports();
    const first = next(reports, NEW, ONLINE, AGENT) ?? NEW;
    const away = next(reports, first, AWAY) ?? NEW;
    expect(away.status).toMatchObject({ phase: 'Failed', online: false, version: 'v1.36.0' });
    expect(away.status).not.toHaveProperty('agent');
    expect(away.status).not.toHaveProperty('latencyMilliseconds');
    expect(next(reports, away, AWAY)).toBeUndefined();
  });

  test('shows an agent that reports no release as connected', () => {
    expect(next(new LatencyReports(), NEW, AWAY, {})?.status?.agent).toEqual({});
  });
});
