import { describe, expect, test } from '@jest/globals';
import type { Authentication, SessionCredentials } from '../../authentication/interface.js';
import { sessionAuthenticator, type OpenedSession } from './authenticator.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const loginKey = (spec: object = {}, metadata: object = {}) => ({
  metadata: { name: 'console-1', uid: 'u1', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  spec: { user: 'ada', type: 'Login', ttl: 3600, ...spec },
});
const origin = { name: 'ci', uid: 'u2', fingerprint: 'f' };
const session: OpenedSession = { name: 'console-1', uid: 'u1', expires: NOW + 3_600_000 };
const ADA: Authentication = {
  outcome: 'user',
  user: { name: 'ada', uid: 'ua', groups: ['g'], extra: {}, credential: { accessKey: 'ci' } },
};

interface Given {
  readonly opened?: OpenedSession | undefined;
  readonly key?: object | undefined;
  readonly holder?: Authentication;
  readonly originEnd?: number;
  readonly sent?: Partial<SessionCredentials>;
}

function judged({ holder = ADA, originEnd = Infinity, sent = {}, ...given }: Given = {}) {
  const opened = 'opened' in given ? given.opened : session;
  const key = 'key' in given ? given.key : loginKey();
  const asked: string[] = [];
  const { authenticate } = sessionAuthenticator({
    open: (cookie) => (cookie === 'sealed' ? opened : undefined),
    isCsrfToken: (_session, token) => token === 'token',
    keys: { latest: () => ({ get: () => key && { object: () => key } }) } as never,
    holder(name) {
      asked.push(name);
      return holder;
    },
    lifetimes: { madeWithEnd: () => originEnd },
    now: () => NOW + 1000,
  });
  const credentials: SessionCredentials = {
    cookie: 'sealed',
    csrf: 'token',
    writes: true,
    crossSite: false,
    otherCredentials: false,
    upgrade: false,
    ...sent,
  };
  const bare = { authorization: 'Bearer admin', certificate: undefined, rawHeaders: [] };
  return { answer: authenticate({ ...bare, session: credentials }) as Authentication, asked };
}

describe('a browser session', () => {
  test('authenticates as its Login key', () => {
    const { answer, asked } = judged();
    expect(asked).toEqual(['console-1']);
    expect(answer).toMatchObject({
      outcome: 'user',
      expires: NOW + 3_600_000,
      user: { name: 'ada', extra: { 'management.svc.example/access-key': ['console-1'] } },
    });
  });

  test('has the current user and scope of the key it was opened with', () => {
    const { answer, asked } = judged({ opened: { ...session, origin }, originEnd: NOW + 60_000 });
    expect(asked).toEqual(['ci', 'console-1']);
    expect(answer).toMatchObject({
      expires: NOW + 60_000,
      user: {
        credential: { accessKey: 'ci' },
        extra: { 'management.svc.example/access-key': ['console-1'] },
      },
    });
  });

  test('reads without a CSRF token', () => {
    expect(judged({ sent: { writes: false, csrf: undefined } }).answer.outcome).toBe('user');
  });

  test.each<[string, Given]>([
    ['there is no cookie', { sent: { cookie: undefined } }],
    ['the cookie was not sealed here', { sent: { cookie: 'forged' } }],
    ['the cookie is over', { opened: { ...session, expires: NOW } }],
    ['the Login key was deleted, so somebody logged out', { key: undefined }],
    ['the Login key is being deleted', { key: loginKey({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }) }],
    ['another key has the name of the Login key', { key: loginKey({}, { uid: 'u9' }) }],
    ['the Login key is switched off', { key: loginKey({ disabled: true }) }],
    ['the Login key has become another kind of key', { key: loginKey({ type: 'User' }) }],
    ['the Login key has no end any more', { key: loginKey({ ttl: 0 }) }],
    ['the Login key has ended', { key: loginKey({ ttl: 1 }) }],
    [
      'the key that was logged in with is gone, rotated or over',
      { opened: { ...session, origin }, originEnd: 0 },
    ],
    ['the holder may not log in any more', { holder: { outcome: 'refused', message: 'Unauthorized' } }],
    ['a write has no CSRF token', { sent: { csrf: undefined } }],
    ['a write has the CSRF token of another session', { sent: { csrf: 'other' } }],
    ['another site sent it', { sent: { crossSite: true } }],
    ['another site sent a read', { sent: { crossSite: true, writes: false } }],
    ['it has an Authorization header besides', { sent: { otherCredentials: true } }],
    ['it asks for a WebSocket', { sent: { upgrade: true, writes: false } }],
  ])('is refused if %s', (_why, given) => {
    expect(judged(given).answer.outcome).toBe('refused');
  });
});

describe('a browser session of a token of the host', () => {
  const opened: OpenedSession = { ...session, token: 'eyJ.x.y' };
  const ACCOUNT = {
    outcome: 'user' as const,
    user: {
      name: 'system:serviceaccount:team:ada',
      uid: 'ua',
      groups: ['system:serviceaccounts'],
      extra: { a: ['b'] },
    },
  };
  const judgedBy = (answer: Authentication | undefined, key: object | undefined = loginKey()) => {
    const shown: unknown[] = [];
    const { authenticate } = sessionAuthenticator({
      open: () => opened,
      isCsrfToken: () => true,
      keys: { latest: () => ({ get: () => key && { object: () => key } }) } as never,
      holder: () => ADA,
      lifetimes: { madeWithEnd: () => Infinity },
      ...(answer && {
        hostTokens: {
          authenticate(credentials) {
            shown.push(credentials);
            return Promise.resolve(answer);
          },
        },
      }),
      now: () => NOW + 1000,
    });
    const sent = { cookie: 'sealed', csrf: 'token', writes: true };
    const credentials = { ...sent, crossSite: false, otherCredentials: false, upgrade: false };
    const bare = { authorization: undefined, certificate: undefined, rawHeaders: [], source: '192.0.2.1' };
    return { answer: authenticate({ ...bare, session: credentials }), shown };
  };

  test("authenticates as the host's current user of the token, and ends with the token", async () => {
    const ending = { ...ACCOUNT, user: { ...ACCOUNT.user, credential: { expires: NOW + 60_000 } } };
    const { answer, shown } = judgedBy(ending);
    expect(await answer).toEqual({ ...ending, expires: NOW + 60_000 });
    expect(shown).toMatchObject([{ authorization: 'Bearer eyJ.x.y', source: '192.0.2.1' }]);
  });

  test.each<[string, Authentication | undefined, object | undefined]>([
    ['the host does not know the token', { outcome: 'refused', message: 'Unauthorized' }, loginKey()],
    ['there is no host', undefined, loginKey()],
    ['somebody logged out', ACCOUNT, undefined],
    ['the Login key is switched off', ACCOUNT, loginKey({ disabled: true })],
  ])('is refused if %s', async (_why, answer, key) => {
    const judged = key === undefined ? judgedBy(answer, loginKey({}, { uid: 'u9' })) : judgedBy(answer, key);
    expect(await judged.answer).toMatchObject({ outcome: 'refused' });
  });
});
