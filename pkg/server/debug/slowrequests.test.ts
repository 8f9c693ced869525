import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Observation } from '../dependencies.js';
import { requestInfo } from '../requestinfo.js';
import { SlowRequests } from './slowrequests.js';
import { Stages, stageTimes } from '../stages.js';

const MINUTE_MS = 60_000;

function observation(milliseconds: number, user = 'ann', url = '/api/v1/namespaces'): Observation {
  return {
    info: requestInfo('GET', url),
    applies: false,
    served: true,
    code: 200,
    milliseconds,
    longRunning: false,
    stages: () => ({}),
    user,
    impersonated: undefined,
    auditId: 'id',
    request: { headers: {}, httpVersion: '2.0', socket: { remoteAddress: '10.0.0.1' } } as never,
  };
}
const times = (requests: SlowRequests): number[] => requests.list().map(({ milliseconds }) => milliseconds);

describe('slow requests', () => {
  test('are listed with the slowest first', () => {
    const requests = new SlowRequests();
    for (const milliseconds of [3, 1, 2]) requests.record(observation(milliseconds));
    expect(times(requests)).toEqual([3, 2, 1]);
  });

  test('are at most fifty, and the fastest is dropped', () => {
    const requests = new SlowRequests();
    for (let at = 1; at <= 200; at++) requests.record(observation(at, `user-${at}`));
    expect(times(requests)).toEqual(Array.from({ length: 50 }, (_none, at) => 200 - at));
    requests.record(observation(150, 'late'));
    expect(times(requests)).toHaveLength(50);
    requests.record(observation(175.5, 'later'));
    expect(times(requests).slice(24, 27)).toEqual([176, 175.5, 175]);
    expect(times(requests).at(-1)).toBe(152);
  });

  test('are at most five for each user, in favour of other users', () => {
    const requests = new SlowRequests();
    requests.record(observation(10, 'ben'));
    for (let at = 1; at <= 200; at++) requests.record(observation(1000 + at));
    expect(times(requests)).toEqual([1200, 1199, 1198, 1197, 1196, 10]);
  });

  test('are listed without the query', () => {
    const requests = new SlowRequests();
    requests.record(observation(1, 'ann', '/api/v1/namespaces?labelSelector=token%3Dhunter2'));
    expect(requests.list()).toEqual([expect.objectContaining({ path: '/api/v1/namespaces', verb: 'list' })]);
    expect(JSON.stringify(requests.list())).not.toContain('hunter2');
  });

  test('have paths and users of a bounded length', () => {
    const requests = new SlowRequests();
    requests.record(observation(1, 'u'.repeat(100_000), `/api/v1/namespaces/${'n'.repeat(100_000)}`));
    expect(JSON.stringify(requests.list()).length).toBeLessThan(10_000);
  });

  test('do not include long-running requests and the debug endpoint', () => {
    const requests = new SlowRequests();
    requests.record({ ...observation(1000), longRunning: true });
    requests.record(observation(1000, 'ann', '/debug/process?seconds=30'));
    expect(requests.list()).toEqual([]);
  });

  describe('as time passes', () => {
    let now = 0;
    beforeEach(() => {
      jest.spyOn(performance, 'now').mockImplementation(() => now);
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    test('are forgotten after twenty minutes', () => {
      const requests = new SlowRequests();
      requests.record(observation(5));
      now += 11 * MINUTE_MS;
      requests.record(observation(3));
      expect(times(requests)).toEqual([5, 3]);
      now += 10 * MINUTE_MS;
      expect(times(requests)).toEqual([3]);
      now += 30 * MINUTE_MS;
      expect(times(requests)).toEqual([]);
    });
  });
});

describe('the durations of stages', () => {
  const passed = (members: Partial<Stages>): Stages => Object.assign(new Stages(), members);

  test('add up to the whole request', () => {
    const stages = passed({ fresh: 101, authenticated: 103, admitted: 106, authorized: 110 });
    expect(stageTimes(stages, 100, 120)).toEqual({
      freshness: 1,
      authentication: 2,
      queue: 3,
      authorization: 4,
      handling: 10,
    });
  });

  test('exist only for finished stages', () => {
    expect(stageTimes(passed({ fresh: 101, authenticated: 103 }), 100, 120)).toEqual({
      freshness: 1,
      authentication: 2,
    });
  });
});
