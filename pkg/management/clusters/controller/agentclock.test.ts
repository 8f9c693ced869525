import { expect, test } from '@jest/globals';
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { withWantedConditions } from '../../../controllers/condition.js';
import { agentClock } from './controller.js';

const HOUR = 3_600_000;
let cluster: Cluster = {
  kind: 'Cluster',
  apiVersion: 'management.svc.example/v1',
  metadata: { name: 'east' },
};

/** The conditions after an update; undefined: nothing is written. */
function conditions(clockAheadMs?: number): unknown {
  const agents = clockAheadMs === undefined ? undefined : { clockAheadMs };
  const changed = withWantedConditions(cluster, agentClock(cluster, agents));
  cluster = changed ?? cluster;
  return changed?.status?.conditions?.map(({ status, reason, message }) => [status, reason, message]);
}

test('reports a wrong clock in a condition, and writes nothing while that does not change', () => {
  expect([conditions(), conditions(0), conditions(-4_900)]).toEqual([undefined, undefined, undefined]);
  const judges = 'the agent judges tokens by the time of this server';
  expect(conditions(-3 * HOUR)).toEqual([
    ['False', 'ClockIsWrong', `the clock of an agent's machine is about 180 minutes behind; ${judges}`],
  ]);
  expect([conditions(-3 * HOUR + 90_000), conditions(-3 * HOUR - 90_000)]).toEqual([undefined, undefined]);
  expect(conditions(6_000)).toEqual([
    ['False', 'ClockIsWrong', `the clock of an agent's machine is a few seconds ahead; ${judges}`],
  ]);
  expect([conditions(60_000), conditions(-50)]).toEqual([undefined, [['True', 'Synchronized', '']]]);
  expect([conditions(100), conditions()]).toEqual([
    undefined,
    [['Unknown', 'NoAgent', 'no agent tells its time']],
  ]);
  expect(conditions()).toBeUndefined();
});
