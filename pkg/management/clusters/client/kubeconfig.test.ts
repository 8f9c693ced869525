import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeYaml, encodeYaml } from '../../../apimachinery/encoding/yaml/yaml.js';
import { issueAuthority, issueServing } from '../../../pki/issue.js';
import { checkKubeconfig as check } from './kubeconfig.js';

const checkKubeconfig = (text: string) => check(() => decodeYaml(text));

let directory: string;
let marker: string;
let authority: string;
let other: { certificate: string; key: string };
let pair: { certificate: string; key: string };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  marker = join(directory, 'it-ran');
  const ca = await issueAuthority('test');
  authority = ca.certificate;
  pair = await issueServing(ca, ['localhost']);
  other = await issueServing(ca, ['localhost']);
});
afterAll(() => rm(directory, { recursive: true }));

const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface Said {
  readonly cluster?: object;
  readonly user?: object;
  readonly more?: object;
}

/** A valid kubeconfig with additional members. */
function kubeconfig({ cluster = {}, user = {}, more = {} }: Said): string {
  return encodeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'n' } }],
    clusters: [
      {
        name: 'k',
        cluster: {
          server: 'https://cluster.example:6443/',
          'certificate-authority-data': base64(authority),
          ...cluster,
        },
      },
    ],
    users: [{ name: 'u', user: { token: 'the-token', ...user } }],
    ...more,
  });
}

const findingsIn = (text: string): unknown => {
  const checked = checkKubeconfig(text);
  return 'findings' in checked ? checked.findings.map(({ path }) => path) : 'taken';
};

describe('a kubeconfig', () => {
  test('is accepted with a token', () => {
    expect(checkKubeconfig(kubeconfig({}))).toEqual({
      credentials: {
        server: 'https://cluster.example:6443',
        authority,
        certificate: undefined,
        key: undefined,
        token: 'the-token',
      },
    });
  });

  test('is accepted with a certificate, and with fields that change nothing', () => {
    const { certificate, key } = pair;
    const text = kubeconfig({
      cluster: { 'insecure-skip-tls-verify': false, extensions: [], 'proxy-url': '' },
      user: {
        token: undefined,
        exec: null,
        'client-certificate-data': base64(certificate),
        'client-key-data': base64(key),
      },
    });
    expect(checkKubeconfig(text)).toMatchObject({ credentials: { certificate, key, token: undefined } });
  });

  const command = (): string => `touch ${marker}`;
  const planted: [string, () => Said, string][] = [
    [
      'a command',
      () => ({
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            command: '/bin/sh',
            args: ['-c', command()],
          },
        },
      }),
      'users[0].user.exec',
    ],
    [
      "a provider's command",
      () => ({
        user: {
          'auth-provider': { name: 'gcp', config: { 'cmd-path': '/bin/sh', 'cmd-args': `-c ${command()}` } },
        },
      }),
      'users[0].user.auth-provider',
    ],
    ['a file with a token', () => ({ user: { tokenFile: marker } }), 'users[0].user.tokenFile'],
    [
      'a certificate file',
      () => ({ user: { 'client-certificate': marker } }),
      'users[0].user.client-certificate',
    ],
    ['a key file', () => ({ user: { 'client-key': marker } }), 'users[0].user.client-key'],
    ['a password', () => ({ user: { username: 'u', password: 'p' } }), 'users[0].user.username'],
    ['impersonation', () => ({ user: { as: 'root' } }), 'users[0].user.as'],
    [
      'an authority file',
      () => ({ cluster: { 'certificate-authority': marker } }),
      'clusters[0].cluster.certificate-authority',
    ],
    ['a proxy', () => ({ cluster: { 'proxy-url': 'http://p:1' } }), 'clusters[0].cluster.proxy-url'],
    [
      'no verification',
      () => ({ cluster: { 'insecure-skip-tls-verify': true } }),
      'clusters[0].cluster.insecure-skip-tls-verify',
    ],
    [
      'another name to verify',
      () => ({ cluster: { 'tls-server-name': 'x' } }),
      'clusters[0].cluster.tls-server-name',
    ],
    [
      'a command of a user that is not used',
      () => ({
        more: {
          users: [
            { name: 'u', user: { token: 't' } },
            { name: 'v', user: { exec: { command: command() } } },
          ],
        },
      }),
      'users[1].user.exec',
    ],
  ];

  test.each(planted)('with %s is refused without running anything', (_what, said, path) => {
    const found = findingsIn(kubeconfig(said()));
    expect(found).toContain(path);
    expect(existsSync(marker)).toBe(false);
  });

  test.each<[string, () => string, string]>([
    ['no YAML', () => '{', 'kubeconfig'],
    ['a list', () => '- a', 'kubeconfig'],
    ['nothing', () => '', 'current-context'],
    ['aliases that expand to a large document', () => `a: &a [1]\n${manyAliases()}`, 'kubeconfig'],
    ['no context of that name', () => kubeconfig({ more: { 'current-context': 'd' } }), 'current-context'],
    ['no such cluster', () => kubeconfig({ more: { clusters: [] } }), 'contexts[0].context.cluster'],
    ['no such user', () => kubeconfig({ more: { users: 'u' } }), 'contexts[0].context.user'],
    ['http', () => kubeconfig({ cluster: { server: 'http://a' } }), 'clusters[0].cluster.server'],
    ['a socket', () => kubeconfig({ cluster: { server: 'unix:///a' } }), 'clusters[0].cluster.server'],
    [
      'a password in the URL',
      () => kubeconfig({ cluster: { server: 'https://u:p@a' } }),
      'clusters[0].cluster.server',
    ],
    ['no server', () => kubeconfig({ cluster: { server: null } }), 'clusters[0].cluster.server'],
    [
      'an authority in invalid base64',
      () => kubeconfig({ cluster: { 'certificate-authority-data': '***' } }),
      'clusters[0].cluster.certificate-authority-data',
    ],
    [
      'an invalid authority',
      () => kubeconfig({ cluster: { 'certificate-authority-data': base64('x') } }),
      'clusters[0].cluster.certificate-authority-data',
    ],
    ['no credentials', () => kubeconfig({ user: { token: null } }), 'users[0].user.token'],
    ['a token of two lines', () => kubeconfig({ user: { token: 'a\nb' } }), 'users[0].user.token'],
    [
      'a certificate without its key',
      () => kubeconfig({ user: { 'client-certificate-data': base64(pair.certificate) } }),
      'users[0].user',
    ],
    [
      "another's key",
      () =>
        kubeconfig({
          user: {
            'client-certificate-data': base64(pair.certificate),
            'client-key-data': base64(other.key),
          },
        }),
      'users[0].user.client-certificate-data',
    ],
  ])('with %s is refused', (_what, text, path) => {
    expect(findingsIn(text())).toContain(path);
  });

  test('that is refused is reported without its values', () => {
    const secret = fc.string({ minLength: 8, unit: fc.constantFrom(...'#secret#0123456789') });
    fc.assert(
      fc.property(secret, (value) => {
        const hidden = `${value}~planted`;
        const text = kubeconfig({
          cluster: { server: `ftp://${hidden}`, 'certificate-authority-data': hidden },
          user: { token: `${hidden} `, 'client-key-data': hidden, 'client-certificate-data': hidden },
        });
        const checked = checkKubeconfig(text);
        expect('findings' in checked).toBe(true);
        expect(JSON.stringify(checked)).not.toContain('~planted');
      }),
      { numRuns: 20 },
    );
  });
});

const manyAliases = (): string =>
  [...'bcdefghijk']
    .map((name, at) => `${name}: &${name} [${'*_,'.replace('_', 'abcdefghij'[at] ?? '').repeat(9)}]`)
    .join('\n');

test.each([
  ['entries', { clusters: Array.from({ length: 40_000 }, () => ({})) }],
  [
    'members',
    { clusters: [{ cluster: Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, 1])) }] },
  ],
  ['text in a name', { clusters: [{ cluster: { ['k'.repeat(500_000)]: 1 } }] }],
])('bounds the report of too many %s', (_what, more) => {
  expect(JSON.stringify(checkKubeconfig(JSON.stringify(more))).length).toBeLessThan(8_000);
});
