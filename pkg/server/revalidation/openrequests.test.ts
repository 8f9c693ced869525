import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { failure, type StatusError } from '../../apimachinery/errors.js';
import { REFUSED, type Authentication, type Credentials, type User } from '../../authentication/interface.js';
import type { LiveView } from '../../authorization/visibility.js';
import type { Exchange } from '../httpexchange.js';
import { requestInfo } from '../requestinfo.js';
import type { AccessRevision } from './accessrevision.js';
import type { RequestStages, OpenRequest } from './openrequest.js';
import { EVERYTHING } from '../../registry/visibilityfilter.js';
import { OpenRequests } from './openrequests.js';

const ANNA: User = { name: 'anna', uid: '1', groups: ['a', 'b'], extra: {} };
const CREDENTIALS: Credentials = { authorization: 'Bearer x', certificate: undefined, rawHeaders: [] };
const EXCHANGE = { request: { headers: {} } } as unknown as Exchange;

let revision: number;
let listeners: (() => void)[];
let answer: Authentication | Promise<Authentication> | Error;
let refused: StatusError | undefined;
let authorized: number;
let ends: [number, boolean][];
let found: number;
const UNHEARD = { ended: () => undefined, valid: () => undefined };
const access: AccessRevision = {
  current: () => revision,
  moved() {
    revision += 1;
    for (const listener of listeners) listener();
  },
  onChange(listener) {
    listeners.push(listener);
    return { cancel: () => undefined };
  },
};
const again: RequestStages = {
  authenticate() {
    if (answer instanceof Error) throw answer;
    return answer;
  },
  anonymous: () => undefined,
  impersonate: (user) => user,
  refusal() {
    authorized += 1;
    return refused;
  },
  unauthorized: () => failure('Unauthorized', 'gone'),
};

beforeEach(() => {
  jest.useFakeTimers();
  [revision, listeners, refused, authorized, ends, found] = [1, [], undefined, 0, [], 0];
  answer = { outcome: 'user', user: ANNA };
});
afterEach(() => {
  jest.useRealTimers();
});

function open(options: { expires?: number; view?: LiveView; url?: string } = {}): {
  request: OpenRequest;
  requests: OpenRequests;
} {
  const requests = new OpenRequests(access, again);
  const request = requests.begin(EXCHANGE, {
    ended: (error, credential) => ends.push([error.code, credential]),
    valid: () => (found += 1),
  });
  const client = {
    user: ANNA,
    credentials: CREDENTIALS,
    expires: options.expires ?? Infinity,
  };
  const info = requestInfo('GET', options.url ?? '/api/v1/secrets?watch=1');
  const { view } = options;
  const shown = view === undefined ? EVERYTHING : { filter: view };
  requests.permit(request, { client, caller: ANNA, info, view: shown });
  return { request, requests };
}

test('only authenticates a request again while no right has changed', async () => {
  const { request } = open();
  expect(request.isCurrent()).toBe(true);
  await jest.advanceTimersByTimeAsync(10_000);
  expect([ends, authorized]).toEqual([[], 0]);
});

test('a change is detected before anything is sent, and a valid request continues', () => {
  const { request } = open();
  access.moved();
  expect(request.isCurrent()).toBe(false);
  expect([request.revalidate(), request.isCurrent(), authorized]).toEqual(['valid', true, 1]);
});

test('a revoked right ends a request', async () => {
  open();
  refused = failure('Forbidden', 'no');
  access.moved();
  await jest.advanceTimersByTimeAsync(150);
  expect(ends).toEqual([[403, false]]);
});

test('an invalid credential ends a request within two seconds, even if no change is announced', async () => {
  open();
  answer = REFUSED;
  await jest.advanceTimersByTimeAsync(1_600);
  expect(ends).toEqual([[401, true]]);
});

test('an expired credential ends a request, unless its lifetime was extended', async () => {
  const { request } = open({ expires: Date.now() + 3_000 });
  answer = { outcome: 'user', user: ANNA, expires: Date.now() + 6_000 };
  await jest.advanceTimersByTimeAsync(4_000);
  expect(request.isCurrent()).toBe(true);
  answer = REFUSED;
  jest.advanceTimersByTime(500);
  expect(request.revalidate()).toBe('ended');
});

test.each<[string, Partial<User>, [number, boolean][]]>([
  ['another name', { name: 'bea' }, [[401, true]]],
  ['another uid', { uid: '2' }, [[401, true]]],
  ['more groups', { groups: ['a', 'b', 'c'] }, []],
  ['less groups, with the right', { groups: ['a'] }, []],
  ['another scope, with the right', { scope: { rules: [] } }, []],
])('a caller with %s', async (_what, changed, expected) => {
  open();
  answer = { outcome: 'user', user: { ...ANNA, ...changed } };
  await jest.advanceTimersByTimeAsync(1_600);
  expect(ends).toEqual(expected);
});

test('ends a filtered watch when its user loses a group', async () => {
  const view: LiveView = {
    current: () => EVERYTHING,
    unchangedSince: () => true,
    follow: () => ({ cancel: () => undefined }),
  };
  open({ view });
  answer = { outcome: 'user', user: { ...ANNA, groups: ['a'] } };
  await jest.advanceTimersByTimeAsync(1_600);
  expect(ends).toEqual([[410, false]]);
});

test('with a view, rights are checked when the view announces a change', async () => {
  let changed = (): void => undefined;
  const follow: LiveView['follow'] = (listener) => {
    changed = () => listener('rights');
    return { cancel: () => undefined };
  };
  const { request } = open({ view: { current: () => EVERYTHING, unchangedSince: () => true, follow } });
  access.moved();
  await jest.advanceTimersByTimeAsync(1_600);
  expect([authorized, request.isCurrent()]).toEqual([0, true]);
  changed();
  // The view handles changes of visibility.
  expect(request.isCurrent()).toBe(true);
  refused = failure('Forbidden', 'no');
  await jest.advanceTimersByTimeAsync(1_600);
  expect([authorized, ends]).toEqual([1, [[403, false]]]);
});

test('pauses a watch that cannot be revalidated, and ends it after some seconds', async () => {
  const { request } = open();
  answer = new Error('away');
  access.moved();
  await jest.advanceTimersByTimeAsync(2_000);
  expect([ends, request.isCurrent()]).toEqual([[], false]);
  answer = { outcome: 'user', user: ANNA };
  await jest.advanceTimersByTimeAsync(800);
  expect([request.isCurrent(), found > 0]).toEqual([true, true]);
  answer = Promise.reject(new Error('away'));
  await jest.advanceTimersByTimeAsync(8_000);
  expect(ends).toEqual([[410, false]]);
});

test('a closed request is not revalidated', async () => {
  const { request, requests } = open();
  requests.close(request);
  answer = REFUSED;
  await jest.advanceTimersByTimeAsync(5_000);
  expect([ends, requests.size, jest.getTimerCount()]).toEqual([[], 0, 0]);
});

test('many requests are revalidated in slices', async () => {
  jest.useRealTimers();
  const requests = new OpenRequests(access, {
    ...again,
    refusal() {
      const until = performance.now() + 0.2;
      while (performance.now() < until);
      authorized += 1;
      return undefined;
    },
  });
  const client = { user: ANNA, credentials: CREDENTIALS, expires: Infinity };
  const info = requestInfo('GET', '/api/v1/secrets?watch=1');
  const opened = Array.from({ length: 500 }, () => requests.begin(EXCHANGE, UNHEARD));
  for (const request of opened) requests.permit(request, { client, caller: ANNA, info, view: EVERYTHING });
  access.moved();
  let turns = 0;
  while (authorized < 500) {
    await new Promise((resolve) => setImmediate(resolve));
    if (authorized > 0) turns += 1;
  }
  // Otherwise the timers of the next test would revalidate them, and its loop would never end.
  for (const request of opened) requests.close(request);
  expect(turns).toBeGreaterThan(10);
});

test('authenticates a shared token once in a turn, and certificates for each request', async () => {
  const asked: (string | undefined)[] = [];
  const counting: RequestStages = {
    ...again,
    authenticate(credentials) {
      asked.push(credentials.authorization);
      return { outcome: 'user', user: ANNA };
    },
  };
  const requests = new OpenRequests(access, counting);
  const certificate = {} as Credentials['certificate'];
  const info = requestInfo('GET', '/api/v1/secrets?watch=1');
  const others = [
    { ...CREDENTIALS, authorization: 'Bearer y' },
    ...[1, 2].map(() => ({ ...CREDENTIALS, authorization: undefined, certificate })),
  ];
  for (const credentials of [...Array.from({ length: 100 }, () => CREDENTIALS), ...others]) {
    const client = { user: ANNA, credentials, expires: Infinity };
    requests.permit(requests.begin(EXCHANGE, UNHEARD), { client, caller: ANNA, info, view: EVERYTHING });
  }
  const sweeps = 2;
  await jest.advanceTimersByTimeAsync(800 * sweeps);
  const times = (authorization: string | undefined) => asked.filter((one) => one === authorization).length;
  expect(times('Bearer x')).toBeGreaterThanOrEqual(sweeps);
  expect(times('Bearer x')).toBeLessThan(20 * sweeps);
  expect([times('Bearer y'), times(undefined)]).toEqual([sweeps, 2 * sweeps]);
});
