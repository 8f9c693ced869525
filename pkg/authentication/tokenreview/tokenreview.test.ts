import { describe, expect, test } from '@jest/globals';
import {
  HostUnreachable,
  type HostAnswer,
  type HostClient,
  type HostRequest,
} from '../../hostclient/interface.js';
import { reviewCounts } from '../../hostclient/reviewcounts.js';
import { firstMatchingAuthenticator } from '../delegated.js';
import type { Authenticator, Credentials } from '../interface.js';
import { tokenReviewAuthenticator } from './authenticator.js';

type Step = HostAnswer | HostUnreachable;
const answer = (status: number, body?: unknown): HostAnswer => ({ status, body, retryAfterMs: undefined });
const known = (user: object): HostAnswer => answer(201, { status: { authenticated: true, user } });
const ANN = { username: 'ann', uid: '1', groups: ['viewers'], extra: { scopes: ['a', 'b'] } };
const UNKNOWN = answer(201, { status: { user: {}, error: 'invalid bearer token' } });

/** A host that returns these responses in turn, and the last one repeatedly. */
function world(steps: readonly Step[], cacheTtlMs = 1000) {
  const asked: HostRequest[] = [];
  const failures: unknown[] = [];
  const counts = reviewCounts();
  let now = 0;
  const send: HostClient['send'] = (request) => {
    const step = steps[Math.min(asked.length, steps.length - 1)] as Step;
    asked.push(request);
    return step instanceof Error ? Promise.reject(step) : Promise.resolve(step);
  };
  const authenticator = tokenReviewAuthenticator({
    host: { send },
    cacheTtlMs,
    counts,
    now: () => now,
    failed: (error) => failures.push(error),
  });
  const codes = () => Array.from(counts.series(), ({ labels, counts: all }) => [labels.code, all[0]]);
  return { authenticator, asked, failures, codes, pass: (ms: number) => void (now += ms) };
}

const offer = (token?: string): Credentials => ({
  authorization: token === undefined ? undefined : `Bearer ${token}`,
  certificate: undefined,
  rawHeaders: [],
});
const from = (source: string, token: string): Credentials => ({ ...offer(token), source });
const REFUSED = { outcome: 'refused', message: 'Unauthorized' };

test("authenticates a token as the user of the host's TokenReview", async () => {
  const { authenticator, asked } = world([known(ANN)]);
  expect(await authenticator.authenticate(offer('t'))).toEqual({
    outcome: 'user',
    user: {
      name: 'ann',
      uid: '1',
      groups: ['viewers', 'system:authenticated'],
      extra: { scopes: ['a', 'b'] },
    },
  });
  expect(asked).toMatchObject([
    {
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 't' } },
      repeatable: true,
    },
  ]);
});

test('sends no TokenReview without a token, or for a token of invalid length', async () => {
  const { authenticator, asked } = world([known(ANN)]);
  expect(await authenticator.authenticate(offer())).toEqual({ outcome: 'none' });
  expect(await authenticator.authenticate(offer('x'.repeat(70_000)))).toEqual(REFUSED);
  expect(asked).toEqual([]);
});

test.each<[string, HostAnswer]>([
  ['accepted', known(ANN)],
  ['rejected', UNKNOWN],
])('caches the answer for the configured time, for this token alone, if it is %s', async (_name, step) => {
  const { authenticator, asked, pass } = world([step]);
  const first = await authenticator.authenticate(offer('t'));
  pass(999);
  expect(authenticator.authenticate(offer('t'))).toEqual(first);
  expect(asked).toHaveLength(1);
  await authenticator.authenticate(offer('u'));
  expect(asked).toHaveLength(2);
  pass(1);
  await authenticator.authenticate(offer('t'));
  expect(asked).toHaveLength(3);
});

test('requests of one token share a review', async () => {
  const { authenticator, asked } = world([known(ANN)], 0);
  await Promise.all(Array.from({ length: 20 }, async () => authenticator.authenticate(offer('t'))));
  expect(asked).toHaveLength(1);
});

describe('with a host that', () => {
  const away = new HostUnreachable('it does not answer', false);
  test.each<[string, Step[], object, unknown[]]>([
    [
      'is busy for a moment',
      [answer(500), answer(429), known(ANN)],
      { user: { name: 'ann' } },
      [
        ['500', 1],
        ['429', 1],
        ['201', 1],
      ],
    ],
    [
      'is unavailable for a moment',
      [away, known(ANN)],
      { user: { name: 'ann' } },
      [
        ['<error>', 1],
        ['201', 1],
      ],
    ],
    ['denies the TokenReview', [answer(403)], REFUSED, [['403', 1]]],
    ['returns an invalid body', [answer(201, 'x')], REFUSED, [['201', 1]]],
    ['returns no user name', [known({ uid: 'x' })], REFUSED, [['201', 1]]],
    ['returns an invalid user', [known({ username: 'a', groups: 'system:masters' })], REFUSED, [['201', 1]]],
    [
      'returns no boolean',
      [answer(201, { status: { authenticated: 'yes', user: ANN } })],
      REFUSED,
      [['201', 1]],
    ],
  ])('%s', async (_name, steps, expected, codes) => {
    const { authenticator, codes: counted } = world(steps);
    expect(await authenticator.authenticate(offer('secret-token'))).toMatchObject(expected);
    expect(counted()).toEqual(codes);
  });

  test('stays unavailable, refuses and logs without the token, and caches nothing', async () => {
    const { authenticator, asked, failures } = world([away]);
    expect(await authenticator.authenticate(offer('secret-token'))).toEqual(REFUSED);
    expect(failures).toEqual([away]);
    const tries = asked.length;
    expect(tries).toBeGreaterThan(1);
    await authenticator.authenticate(offer('secret-token'));
    expect(asked.length).toBeGreaterThan(tries);
  });
});

test('does not send tokens of this server to the host, even if they are invalid', async () => {
  const { authenticator, asked } = world([known(ANN)]);
  const ended: Authenticator = {
    authenticate: ({ authorization = '' }) =>
      authorization.includes('mk_')
        ? { outcome: 'refused', message: 'access key expired' }
        : { outcome: 'none' },
  };
  const both = firstMatchingAuthenticator([ended, authenticator]);
  expect(await both.authenticate(offer('mk_1'))).toMatchObject({ message: 'access key expired' });
  expect(asked).toEqual([]);
  expect(await both.authenticate(offer('other'))).toMatchObject({ user: { name: 'ann' } });
});

describe('wrong tokens', () => {
  const TOO_MANY = { code: 429, headers: { 'Retry-After': '1' } };
  const known = (name: string): HostAnswer =>
    answer(201, { status: { authenticated: true, user: { username: name } } });

  /** A host that accepts tokens with the prefix "good". */
  function host(cacheTtlMs = 1000) {
    let [now, underWay, most, asked] = [0, 0, 0, 0];
    const send: HostClient['send'] = async ({ body }) => {
      const { token } = (body as { spec: { token: string } }).spec;
      asked += 1;
      most = Math.max(most, (underWay += 1));
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return token.startsWith('good') ? known(token) : UNKNOWN;
    };
    const authenticator = tokenReviewAuthenticator({
      host: { send },
      cacheTtlMs,
      counts: reviewCounts(),
      now: () => now,
      failed: () => undefined,
    });
    const ask = async (source: string, token: string): Promise<unknown> =>
      authenticator.authenticate(from(source, token));
    const flood = (source: string, times: number): Promise<PromiseSettledResult<unknown>[]> =>
      Promise.allSettled(Array.from({ length: times }, (_one, at) => ask(source, `wrong-${source}-${at}`)));
    return { ask, flood, pass: (ms: number) => (now += ms), figures: () => ({ most, asked }) };
  }

  test('limits the concurrent reviews of one source to eight, and its rejected tokens', async () => {
    const { ask, flood, pass, figures } = host();
    const first = await flood('a', 60);
    expect(first.filter(({ status }) => status === 'rejected')).toEqual([]);
    await flood('a', 60);
    expect(figures().most).toBe(8);
    await flood('b', 60).then(() => flood('a', 200));
    for (let at = 0; at < 200; at += 1) await ask('a', `more-${at}`).catch(() => undefined);
    expect(figures().asked).toBeLessThan(60 + 110);
    await expect(ask('a', 'good-new')).rejects.toMatchObject(TOO_MANY);
    expect(await ask('c', 'good-new')).toMatchObject({ outcome: 'user' });
    pass(1_000);
    expect(await ask('a', 'good-later')).toMatchObject({ outcome: 'user' });
  });

  test('do not delay tokens accepted before', async () => {
    const { ask, flood, pass } = host();
    expect(await ask('a', 'good')).toMatchObject({ outcome: 'user' });
    for (let at = 0; at < 200; at += 1) await ask('a', `wrong-${at}`).catch(() => undefined);
    pass(1_000);
    await flood('a', 11);
    expect(await ask('a', 'good')).toMatchObject({ outcome: 'user' });
  });

  test('leave the TokenReviews to sources without rejected tokens', async () => {
    const { ask, flood, figures } = host();
    await Promise.all(Array.from({ length: 20 }, (_one, at) => flood(`source-${at}`, 60)));
    expect(figures().most).toBe(32);
    expect(await ask('user', 'good')).toMatchObject({ outcome: 'user' });
    const before = figures().asked;
    await Promise.all(
      Array.from({ length: 20 }, (_one, at) => ask(`source-${at}`, 'x').catch(() => undefined)),
    );
    expect(figures().asked).toBe(before);
  });

  test('are rejected at once if the queue is full', async () => {
    const { flood } = host();
    const all = await flood('a', 100);
    expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(100 - 8 - 64);
  });
});
