import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import type { Authentication, User } from '../../authentication/interface.js';
import type { Observation } from '../dependencies.js';
import type { Exchange } from '../httpexchange.js';
import { ExchangeEnd } from '../exchangeend.js';
import { createActivity } from '../activity.js';
import type { ResourceStores } from '../resources.js';
import { nextTurn } from '../../apimachinery/eventloop/turns.js';
import { flowControl } from './flowcontrol/flowcontrol.js';
import { InSlices } from './inslices.js';
import { turnAway } from './turnaway.js';

const MAPS = '/api/v1/namespaces/a/configmaps';
const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} });

function exchangeOf(authorization: string, url = MAPS) {
  const sent: unknown[] = [];
  const response = {
    writeHead: (code: number, headers: object) => void sent.push(code, headers),
    end: () => undefined,
  } as unknown as ServerResponse;
  const socket = { remoteAddress: '192.0.2.1', getPeerX509Certificate: () => undefined };
  const request = {
    method: 'GET',
    url,
    headers: { authorization },
    rawHeaders: [],
    socket,
    httpVersionMajor: 2,
    stream: { endAfterHeaders: true, session: { socket } },
  } as unknown as Exchange['request'];
  const end = new ExchangeEnd(() => undefined);
  const exchange: Exchange = { request, response, end, slot: undefined };
  return { exchange, sent };
}

/** A server whose queue is full of requests of jane. `lines`: whether the audit log accepts one more line. */
function world(lines: boolean) {
  let now = 0;
  const flow = flowControl({ reads: 1, writes: 1, watches: 1 }, () => now);
  const admit = flow.admitting({ listBytes: () => 0 });
  const fill = (): void => {
    for (let at = 0; !flow.isFull(); at += 1) {
      const info = { kind: 'path', verb: 'get', path: '/apis', query: '' } as const;
      const slot = admit(user('jane'), info, exchangeOf('').exchange);
      if (slot instanceof Promise) slot.catch(() => undefined);
      now = 10;
    }
  };
  const activity = createActivity();
  const observed: Observation[] = [];
  const known: Record<string, Authentication> = {
    jane: { outcome: 'user', user: user('jane') },
    joe: { outcome: 'user', user: user('joe') },
    admin: { outcome: 'user', user: user('admin', 'system:masters') },
  };
  const turnsAway = turnAway({
    activity,
    flow,
    authenticator: { authenticate: ({ authorization = '' }) => known[authorization] ?? { outcome: 'none' } },
    observe: (observation) => void observed.push(observation),
    stores: { find: () => undefined } as unknown as ResourceStores,
    leavesOut: () => !lines,
    answers: new InSlices({ aTurn: 1, queueLength: 10, timeoutMs: 1000, now: () => now }),
  });
  return { fill, turnsAway, activity, observed };
}

test('rejects no request while the queue has room', () => {
  expect(world(false).turnsAway(exchangeOf('jane').exchange)).toBe(false);
});

test('rejects and counts requests of a user with a full share, and answers in turns of the event loop', async () => {
  const { fill, turnsAway, activity, observed } = world(false);
  fill();
  const [one, other] = [exchangeOf('jane'), exchangeOf('jane')];
  expect([turnsAway(one.exchange), turnsAway(other.exchange)]).toEqual([true, true]);
  expect(activity).toMatchObject({ dropped: { readOnly: 2 }, authentication: { success: 2 } });
  await nextTurn();
  expect(one.sent).toEqual([
    429,
    expect.objectContaining({ 'Retry-After': '1', 'Audit-Id': expect.any(String) }),
  ]);
  expect(other.sent).toEqual([]);
  await nextTurn();
  expect(other.sent).toHaveLength(2);
  expect(observed.map(({ code, user: name }) => [code, name])).toEqual([
    [429, 'jane'],
    [429, 'jane'],
  ]);
});

test.each([
  ['a user with few waiting requests', 'joe', MAPS, false],
  ['system:masters', 'admin', MAPS, false],
  ['an unknown credential', 'nobody', MAPS, false],
  ['a probe', 'jane', '/readyz', false],
  ['an audited request', 'jane', MAPS, true],
])('leaves %s to the filters', (_who, authorization, url, lines) => {
  const { fill, turnsAway } = world(lines);
  fill();
  expect(turnsAway(exchangeOf(authorization, url).exchange)).toBe(false);
});

test('sends nothing to a client that is gone', async () => {
  const { fill, turnsAway, observed } = world(false);
  fill();
  const { exchange, sent } = exchangeOf('jane');
  expect(turnsAway(exchange)).toBe(true);
  exchange.end.finish();
  await nextTurn();
  expect([sent, observed]).toEqual([[], []]);
});
