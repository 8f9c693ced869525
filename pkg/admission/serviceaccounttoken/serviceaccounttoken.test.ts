import { expect, test } from '@jest/globals';
import { Secret } from '../../../api/core/v1/secret.js';
import type { TokenClaims } from '../../registry/virtualresource.js';
import type { User } from '../../apimachinery/user.js';
import { serviceAccountTokens } from './serviceaccounttoken.js';

const ACCOUNT = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'robot', uid: 'u1' } };
const USER: User = { name: 'jane', uid: '', groups: [], extra: {} };
const HOUR_MS = 3_600_000;

async function written(requester: User & { internal?: true }, operation: 'CREATE' | 'UPDATE', end?: number) {
  const issued: TokenClaims[] = [];
  const warnings: string[] = [];
  const plugin = serviceAccountTokens({
    authorizer: { authorize: () => Promise.resolve({ allowed: true }) },
    issue(content) {
      issued.push(content);
      return Promise.resolve({ token: 'signed', id: 'i' });
    },
    lifetimes: {
      endFor: () => Promise.resolve(end),
      madeWithFor: () =>
        Promise.resolve(end === undefined ? undefined : { name: 'k', uid: 'u2', fingerprint: 'f' }),
    },
    findAccount: () => Promise.resolve(ACCOUNT),
    authority: () => 'PEM',
  });
  const secret: Secret = {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 's', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
    type: 'kubernetes.io/service-account-token',
  };
  const previous = operation === 'UPDATE' ? { ...secret, data: { token: 'eA==' } } : undefined;
  const attributes = { definition: Secret, operation, subresource: '', namespace: 'n', name: 's', requester };
  const warn = (text: string): void => void warnings.push(text);
  await plugin.mutate?.({ ...attributes, dryRun: false, warn }, secret, previous);
  return { secret, issued, warnings };
}

test('a token is of its Secret, and ends with the credential of the writer', async () => {
  const end = Date.now() + HOUR_MS;
  const { secret, issued, warnings } = await written(USER, 'CREATE', end);
  expect(issued).toMatchObject([
    {
      namespace: 'n',
      serviceAccount: { name: 'robot', uid: 'u1' },
      heldBy: 's',
      madeWith: { name: 'k' },
      expiresAt: Math.floor(end / 1000),
    },
  ]);
  expect(secret.data).toEqual({
    token: Buffer.from('signed').toString('base64'),
    namespace: Buffer.from('n').toString('base64'),
    'ca.crt': Buffer.from('PEM').toString('base64'),
  });
  expect(warnings).toEqual([expect.stringContaining('the token ends with the credential')]);
});

test('a writer whose credential has no end gives a token that has none either', async () => {
  const { issued, warnings } = await written(USER, 'CREATE');
  expect(issued[0]?.expiresAt).toBeGreaterThan(Date.now() / 1000 + 50 * 365 * 24 * 3600);
  expect(warnings).toEqual([]);
});

test('who has a scope gets none', async () => {
  const scoped = { ...USER, scope: { roles: [] } } as unknown as User;
  await expect(written(scoped, 'CREATE')).rejects.toMatchObject({ code: 403 });
  expect((await written(scoped, 'UPDATE')).secret.data).toBeUndefined();
});

test('controllers give none', async () => {
  expect((await written({ ...USER, internal: true }, 'UPDATE')).issued).toEqual([]);
});
