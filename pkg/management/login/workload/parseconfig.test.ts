import { expect, test } from '@jest/globals';
import { parseWorkloadConfig } from './parseconfig.js';

const RULE = { name: 'web', claims: { sub: 's' }, user: 'ci' };
const ISSUER = { issuer: 'https://issuer.example', audience: 'here', rules: [RULE] };
const GITHUB = 'https://token.actions.githubusercontent.com';
const TYPE = { apiVersion: 'config.management.svc.example/v1', kind: 'WorkloadIdentityConfiguration' };
const parse = (...issuers: object[]) =>
  parseWorkloadConfig({ ...TYPE, issuers }, () => '{"keys":[{"kty":"EC"}]}');
const withRule = (rule: object) => parse({ ...ISSUER, rules: [{ ...RULE, ...rule }] });

test('has defaults', () => {
  expect(parse(ISSUER)).toEqual([
    {
      issuer: 'https://issuer.example',
      audience: 'here',
      authorities: undefined,
      keys: undefined,
      rules: [{ ...RULE, scope: undefined, ttlSeconds: 900 }],
    },
  ]);
  expect(parse({ ...ISSUER, jwksFile: 'keys.json' })).toMatchObject([{ keys: { keys: [{ kty: 'EC' }] } }]);
  expect(withRule({ ttl: '1h', scope: { projects: [{ project: 'web' }] } })).toMatchObject([
    { rules: [{ ttlSeconds: 3600, scope: { projects: [{ project: 'web' }] } }] },
  ]);
});

test.each<[string, () => unknown, RegExp]>([
  ['nothing', () => parseWorkloadConfig(null, String), /^it must be a map with apiVersion, kind, issuers/],
  ['no version', () => parseWorkloadConfig({ issuers: [ISSUER] }, String), /^apiVersion: Required value/],
  ['no issuers', () => parse(), /^issuers: .* should have at least 1 items/],
  [
    'http',
    () => parse({ ...ISSUER, issuer: 'http://issuer.example' }),
    /^issuers\[0\]\.issuer: .* should match/,
  ],
  [
    'no audience',
    () => parse({ ...ISSUER, audience: '' }),
    /^issuers\[0\]\.audience: .* at least 1 chars long/,
  ],
  ['no rules', () => parse({ ...ISSUER, rules: [] }), /^issuers\[0\]\.rules: .* at least 1 items/],
  [
    'unknown members',
    () => parse({ ...ISSUER, audiences: [] }),
    /^issuers\[0\]\.audiences: unknown field; did you mean audience\?/,
  ],
  ['an issuer twice', () => parse(ISSUER, ISSUER), /two of the issuer/],
  ['a rule twice', () => parse(ISSUER, { ...ISSUER, issuer: 'https://b.example' }), /two of the rule "web"/],
  ['no claims', () => withRule({ claims: {} }), /\.claims: .* should have at least 1 properties/],
  [
    'claims that all tokens have',
    () => withRule({ claims: { aud: 'here', iss: 'x' } }),
    /identify the workload/,
  ],
  [
    'a claim that is no text',
    () => withRule({ claims: { sub: ['s'] } }),
    /claims\[sub\]: .* must be of type string/,
  ],
  ['* alone', () => withRule({ claims: { sub: '*' } }), /\* is allowed at the end alone, after a \//],
  ['* in a name', () => withRule({ claims: { sub: 'repo:acme*' } }), /\* is allowed at the end alone/],
  ['* in the middle', () => withRule({ claims: { sub: 'a/*/b' } }), /\* is allowed at the end alone/],
  ['two of them', () => withRule({ claims: { sub: 'a/*/*' } }), /\* is allowed at the end alone/],
  ['a user that is no name', () => withRule({ user: 'system:admin' }), /\.user: .* should match/],
  ['a short life', () => withRule({ ttl: '1s' }), /the rule "web": ttl: it must be from 1m to 1h/],
  ['a long life', () => withRule({ ttl: '2h' }), /ttl: it must be from 1m to 1h/],
  [
    'a scope with a slip',
    () => withRule({ scope: { project: [] } }),
    /scope\.project: unknown field; did you mean projects\?/,
  ],
  [
    'a rule in it with a slip',
    () => withRule({ scope: { rules: [{ verb: ['get'] }] } }),
    /scope\.rules\[0\]\.verb: unknown field; did you mean verbs\?/,
  ],
  [
    'a scope with a wildcard',
    () => withRule({ scope: { projects: [{ project: 'a*' }] } }),
    /scope\.projects\[0\]\.project/,
  ],
  [
    'no keys',
    () => parseWorkloadConfig({ ...TYPE, issuers: [{ ...ISSUER, jwksFile: 'f' }] }, () => '{"keys":[]}'),
    /^issuers\[0\]\.jwksFile: it has no keys/,
  ],
])('refuses %s', (_what, make, message) => {
  expect(make).toThrow(message);
});

test('rules of a public issuer must identify the workload', () => {
  const rule = (claims: object): object => ({ ...ISSUER, issuer: GITHUB, rules: [{ ...RULE, claims }] });
  expect(() => parse(rule({ ref: 'refs/heads/main' }))).toThrow(/signs for everybody/);
  const called = 'acme/flows/.github/workflows/release.yml@refs/heads/main';
  expect(() => parse(rule({ job_workflow_ref: called }))).toThrow(/signs for everybody/);
  expect(parse(rule({ job_workflow_ref: called, repository_owner_id: '7' }))).toHaveLength(1);
  expect(() => parse({ ...rule({ ref: 'main' }), issuer: `${GITHUB}/` })).toThrow(/signs for everybody/);
  expect(parse(rule({ ref: 'refs/heads/main', repository: 'acme/web' }))).toHaveLength(1);
});
