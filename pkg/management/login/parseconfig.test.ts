import { beforeAll, describe, expect, test } from '@jest/globals';
import { issueAuthority } from '../../pki/issue.js';
import { parseLoginConfig } from './parseconfig.js';

const FILE = {
  apiVersion: 'config.management.svc.example/v1',
  kind: 'LoginConfiguration',
  issuer: 'https://idp.example',
  clientID: 'management',
};
let files: Record<string, string> = {};
beforeAll(async () => {
  const { certificate } = await issueAuthority('provider');
  files = { secret: ' planted-secret\n', 'ca.pem': certificate, empty: '\n' };
});

function read(path: string): string {
  const text = files[path];
  if (text === undefined) throw new Error('no such file or directory');
  return text;
}
const parse = (more: object = {}): unknown => parseLoginConfig({ ...FILE, ...more }, read);

test('has defaults', () => {
  expect(parse()).toEqual({
    issuer: 'https://idp.example',
    clientId: 'management',
    clientSecret: undefined,
    authorities: undefined,
    scopes: ['openid', 'profile', 'email'],
    usernameClaim: 'preferred_username',
    usernamePrefix: '',
    groupsClaim: 'groups',
    groupsPrefix: '',
    requiredClaims: {},
    linkVerifiedEmail: false,
    keyTtlSeconds: 86_400,
  });
});

test('has what the file says, and what is in the files that it names', () => {
  const given = {
    clientSecretFile: 'secret',
    caFile: 'ca.pem',
    scopes: ['openid', 'groups'],
    claimMappings: {
      username: { claim: 'email', prefix: 'oidc-' },
      groups: { claim: 'roles', prefix: 'oidc:' },
    },
    requiredClaims: { hd: 'example.com' },
    linkVerifiedEmail: true,
    keyTTL: '1h30m',
  };
  expect(parse(given)).toEqual({
    issuer: 'https://idp.example',
    clientId: 'management',
    clientSecret: 'planted-secret',
    authorities: files['ca.pem'],
    scopes: ['openid', 'groups'],
    usernameClaim: 'email',
    usernamePrefix: 'oidc-',
    groupsClaim: 'roles',
    groupsPrefix: 'oidc:',
    requiredClaims: { hd: 'example.com' },
    linkVerifiedEmail: true,
    keyTtlSeconds: 5_400,
  });
});

const username = (prefix: unknown): object => ({ claimMappings: { username: { prefix } } });
const groups = (prefix: unknown): object => ({ claimMappings: { groups: { prefix } } });

describe('refuses', () => {
  test.each<[string, object, string]>([
    ['another kind', { kind: 'Login' }, 'kind: Unsupported value: "Login"'],
    ['another version', { apiVersion: 'v1' }, 'supported values: "config.management.svc.example/v1"'],
    ['no client', { clientID: undefined }, 'clientID: Required value'],
    ['a client that is no text', { clientID: 7 }, 'clientID: Invalid value: "integer"'],
    ['http', { issuer: 'http://idp.example' }, 'issuer: it must be a URL such as https://'],
    ...['common/v2.0', 'organizations/v2.0', 'Consumers', '9188040d-6c67-4c5b-b112-36a304b66dad/v2.0'].map(
      (path): [string, object, string] => [
        `any tenant, ${path}`,
        { issuer: `https://login.microsoftonline.com/${path}` },
        'issuer: people of any tenant log in there: name yours',
      ],
    ),
    ['a misspelt field', { clientId: 'x' }, 'clientId: unknown field; did you mean clientID?'],
    ['the name of a field of others', { jwt: [] }, 'jwt: unknown field; there are apiVersion, kind, issuer'],
    [
      'a misspelt field below others',
      { claimMappings: { username: { prefx: 'a-' } } },
      'claimMappings.username.prefx: unknown field; did you mean prefix?',
    ],
    ['a secret in its place', { clientSecret: 'planted-secret' }, 'did you mean clientSecretFile?'],
    ['a missing file', { clientSecretFile: 'none' }, 'clientSecretFile: no such file or directory'],
    ['an empty secret', { clientSecretFile: 'empty' }, 'clientSecretFile: it is empty'],
    ['authorities that are none', { caFile: 'secret' }, 'caFile: it holds no PEM certificate'],
    ['scopes without openid', { scopes: ['email'] }, 'scopes: openid must be one of them'],
    ['a scope with a space', { scopes: ['openid', 'a b'] }, 'scopes: they must be names without spaces'],
    ['a prefix that no name begins with', username('-'), 'claimMappings.username.prefix: it must be at most'],
    ['a reserved prefix of names', username('system:'), 'username.prefix: it must be at most 40 of a-z'],
    ['a reserved prefix of groups', groups('system:'), 'it must not begin with system: or management:'],
    ['a prefix of groups with a space', groups('a b'), 'claimMappings.groups.prefix: it must have no spaces'],
    ['a claim that is no text', { requiredClaims: { hd: true } }, 'requiredClaims[hd]: Invalid value'],
    ['a short life', { keyTTL: '10ms' }, 'keyTTL: it must be a second or more'],
    ['a life that is none', { keyTTL: 'long' }, 'keyTTL: '],
  ])('%s', (_what, more, message) => {
    expect(() => parse(more)).toThrow(message);
    expect(() => parse(more)).not.toThrow('planted-secret');
  });

  test.each([[null], [[FILE]], ['issuer']])('%j, which is no map', (document) => {
    expect(() => parseLoginConfig(document, read)).toThrow('it must be a map with apiVersion, kind, issuer');
  });
});
