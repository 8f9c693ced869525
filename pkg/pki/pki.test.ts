import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, stat, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writePrivate } from './files.js';
import { issueAuthority, issueServing, type KeyPair } from './issue.js';
import { formatKubeconfig, localUrl, tokenOf } from './kubeconfig.js';
import { keepServing } from './serving.js';
import { servingNames } from './servingnames.js';

const DAY = 86_400_000;
let directory: string;
let authority: KeyPair;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pki-'));
  authority = await issueAuthority('test');
});
afterAll(() => rm(directory, { recursive: true }));

describe('certificates', () => {
  test('issues a serving certificate of the authority with every address', async () => {
    const names = servingNames('10.1.2.3');
    const pair = await issueServing(authority, names);
    const certificate = new X509Certificate(pair.certificate);
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect(certificate.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
    expect(certificate.checkIP('10.1.2.3')).toBe('10.1.2.3');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.checkHost('kubernetes.default.svc')).toBe('kubernetes.default.svc');
    expect(certificate.ca).toBe(false);
    expect(new X509Certificate(authority.certificate).ca).toBe(true);
  });

  test('reuses a valid certificate and replaces it near expiry, for new names and for a new authority', async () => {
    const place = join(directory, 'serving');
    const now = Date.now();
    const first = await keepServing(place, authority, ['localhost'], now);
    expect(await keepServing(place, authority, ['localhost'], now + 30 * DAY)).toEqual(first);
    const renewed = await keepServing(place, authority, ['localhost'], now + 300 * DAY);
    expect(renewed).not.toEqual(first);
    const wider = await keepServing(place, authority, ['localhost', '10.0.0.1'], now + 300 * DAY);
    expect(wider).not.toEqual(renewed);
    const other = await keepServing(place, await issueAuthority('other'), ['localhost'], now + 300 * DAY);
    expect(other).not.toEqual(wider);
    for (const name of ['apiserver.key', 'apiserver.crt', 'ca.crt']) {
      expect((await stat(join(place, name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(place)).mode & 0o777).toBe(0o700);
  });

  test('replaces damaged files', async () => {
    const place = join(directory, 'damaged');
    const first = await keepServing(place, authority, ['localhost']);
    await writePrivate(join(place, 'apiserver.key'), 'not a key');
    const second = await keepServing(place, authority, ['localhost']);
    expect(second).not.toEqual(first);
    expect(await readFile(join(place, 'apiserver.key'), 'utf8')).toBe(second.key);
  });
});

describe('kubeconfig', () => {
  test('reads the token that it was formatted with', () => {
    const text = formatKubeconfig({ server: 'https://127.0.0.1:1', authority: 'PEM', token: 'mk_x' });
    expect(tokenOf(text)).toBe('mk_x');
    expect(text).toContain(Buffer.from('PEM').toString('base64'));
  });

  test.each([[''], ['['], ['a: 1'], ['users: [{}]'], ['users: [{user: {token: 3}}]'], ['null']])(
    'finds no token in %j',
    (text) => {
      expect(tokenOf(text)).toBeUndefined();
    },
  );

  test.each([
    ['0.0.0.0', 'https://127.0.0.1:6443'],
    ['::', 'https://[::1]:6443'],
    ['10.0.0.1', 'https://10.0.0.1:6443'],
  ])('a server bound to %s is reached at %s', (address, url) => {
    expect(localUrl(address, 6443)).toBe(url);
  });
});
