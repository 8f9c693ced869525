import { expect, test } from '@jest/globals';
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { withWantedConditions } from '../condition.js';
import { agentClock } from './agentclock.js';

const HOUR = 3_600_000;
let cluster: Cluster = {
  ...{ kind: 'Cluster', apiVersion: 'management.svc.example/v1', metadata: { name: 'east' } },
};

/** Undefined: nothing is written. */
function told(clockAheadMs?: number): unknown {
  const agents = clockAheadMs === undefined ? undefined : { clockAheadMs };
  const changed = withWantedConditions(cluster, agentClock(cluster, agents));
  cluster = changed ?? cluster;
  return changed?.status?.conditions?.map(({ status, reason, message }) => [status, reason, message]);
}

test('reports a wrong clock in a condition, and writes nothing while that does not change', () => {
  expect([told(), told(0), told(-4_900)]).toEqual([undefined, undefined, undefined]);
  const judges = 'the agent judges tokens by the time of this server';
  expect(told(-3 * HOUR)).toEqual([
    ['False', 'ClockIsWrong', `the clock of an agent's machine is about 180 minutes behind; ${judges}`],
  ]);
  expect([told(-3 * HOUR + 90_000), told(-3 * HOUR - 90_000)]).toEqual([undefined, undefined]);
  expect(told(6_000)).toEqual([
    ['False', 'ClockIsWrong', `the clock of an agent's machine is a few seconds ahead; ${judges}`],
  ]);
  expect([told(60_000), told(-50)]).toEqual([undefined, [['True', 'Synchronized', '']]]);
  expect([told(100), told()]).toEqual([undefined, [['Unknown', 'NoAgent', 'no agent tells its time']]]);
  expect(told()).toBeUndefined();
});
