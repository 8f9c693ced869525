import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  CLIENT_AUTH,
  makeAuthority,
  makeClient,
  makeIdentity,
  SERVER_AUTH,
  type Identity,
  type IdentityOptions,
} from '../../../test/fixtures/clients/clientcertificates.js';
import type { ShownCertificate } from '../interface.js';
import { parseBundle } from './bundle.js';
import { certificateVerifyCache } from './verifycache.js';
import { subjectOf } from './subject.js';
import { verifyClient } from './verify.js';

const HOUR_MS = 3_600_000;
const shown = (leaf: Identity, ...intermediates: Identity[]): ShownCertificate => ({
  leaf: new X509Certificate(leaf.certificate),
  intermediates: intermediates.map(({ certificate }) => new X509Certificate(certificate)),
});
const bundle = (...authorities: Identity[]) =>
  parseBundle(authorities.map(({ certificate }) => certificate).join(''));
const vouched = (one: ShownCertificate, ...authorities: Identity[]): boolean =>
  verifyClient(one, bundle(...authorities), Date.now()).vouched;

let root: Identity;
let other: Identity;
beforeAll(async () => {
  root = await makeAuthority('root');
  other = await makeAuthority('other');
});

const between = (name: string, options: Partial<IdentityOptions> = {}, issuer = root): Promise<Identity> =>
  makeAuthority(name, { issuer, ...options });

describe('a certificate signed by the authority itself', () => {
  test.each<[string, Partial<IdentityOptions>, boolean]>([
    ['for clients', {}, true],
    ['for everything', { purposes: ['2.5.29.37.0'] }, true],
    ['for nothing in particular', { purposes: undefined }, true],
    ['for servers and clients', { purposes: [SERVER_AUTH, CLIENT_AUTH] }, true],
    ['for servers', { purposes: [SERVER_AUTH] }, false],
    ['that has expired', { from: -3, to: -1 }, false],
    ['that is not valid yet', { from: 1 }, false],
    ['with something critical that nobody knows', { unknown: ['1.2.3.4'] }, false],
    ['signed with SHA-1', { hash: 'SHA-1' }, false],
    ['with alternative names', { names: ['a.example'] }, true],
  ])('%s', async (_name, options, expected) => {
    const { purposes = undefined } = options;
    const given = 'purposes' in options ? { ...options, purposes: purposes as string[] } : options;
    expect(vouched(shown(await makeClient(root, 'eve', given)), root)).toBe(expected);
  });

  test('is trusted by its own authority only', async () => {
    const client = shown(await makeClient(root, 'eve'));
    expect(vouched(client, other)).toBe(false);
    expect(vouched(client, other, root)).toBe(true);
  });

  test('rejects a certificate of an authority with the same name and another key', async () => {
    const namesake = await makeAuthority('root');
    expect(vouched(shown(await makeClient(namesake, 'eve')), root)).toBe(false);
    expect(vouched(shown(await makeClient(namesake, 'eve')), root, namesake)).toBe(true);
  });

  test('is trusted if it is in the bundle itself, until it expires', async () => {
    const own = await makeClient(root, 'eve');
    expect(vouched(shown(own), own)).toBe(true);
    const ended = await makeClient(root, 'eve', { from: -3, to: -1 });
    expect(vouched(shown(ended), ended)).toBe(false);
  });
});

describe('a chain', () => {
  test.each<[string, Partial<IdentityOptions>, boolean]>([
    ['through an authority', {}, true],
    ['through one for servers', { purposes: [SERVER_AUTH] }, false],
    ['through one for clients', { purposes: [CLIENT_AUTH] }, true],
    ['through one that has ended', { from: -3, to: -1 }, false],
    ['through one that has yet to begin', { from: 1 }, false],
    ['through what is no authority', { authority: undefined, signs: true }, false],
    ['through one that may not sign', { signs: false }, false],
    ['through one that must have none below', { authority: { pathLength: 0 } }, true],
    ['through one with something critical that nobody knows', { unknown: ['1.2.3.4'] }, false],
    ['through one that constrains names', { constrained: true }, true],
  ])('%s', async (_name, options, expected) => {
    const middle = await makeIdentity({
      subject: [{ CN: ['middle'] }],
      issuer: root,
      authority: {},
      ...options,
    });
    const client = await makeClient(middle, 'eve');
    expect(vouched(shown(client, middle), root)).toBe(expected);
  });

  test('is complete only with the certificates of the client', async () => {
    const middle = await between('middle');
    const client = await makeClient(middle, 'eve');
    expect(vouched(shown(client), root)).toBe(false);
    expect(vouched(shown(client), middle)).toBe(true);
    expect(vouched(shown(client, other, middle), root)).toBe(true);
  });

  test('does not trust a root that the client sends', async () => {
    const client = await makeClient(other, 'eve');
    expect(vouched(shown(client, other), root)).toBe(false);
  });

  test('may be as long as its authorities allow', async () => {
    const long = await between('long', { authority: { pathLength: 1 } });
    const short = await between('short', { authority: { pathLength: 0 } });
    const below = async (issuer: Identity) => {
      const lowest = await between('lowest', {}, issuer);
      return shown(await makeClient(lowest, 'eve'), lowest, issuer);
    };
    expect(vouched(await below(long), root)).toBe(true);
    expect(vouched(await below(short), root)).toBe(false);
  });

  test('does not let a client certificate sign another', async () => {
    const client = await makeClient(root, 'eve');
    const forged = await makeClient(client, 'admin');
    expect(vouched(shown(forged, client), root)).toBe(false);
  });

  test('is refused with alternative names below an authority with name constraints', async () => {
    const middle = await between('middle', { constrained: true });
    const client = await makeClient(middle, 'eve', { names: ['a.example'] });
    expect(vouched(shown(client, middle), root)).toBe(false);
  });

  test('bounds the verification of a chain of many authorities', async () => {
    let issuer = root;
    const all: Identity[] = [];
    for (let depth = 0; depth < 12; depth += 1) {
      issuer = await between(`level ${depth}`, {}, issuer);
      all.push(issuer);
    }
    expect(vouched(shown(await makeClient(issuer, 'eve'), ...all), root)).toBe(false);
  });
});

test('caches a result until it expires or the bundle changes', async () => {
  let now = Date.now();
  const verifyCertificate = certificateVerifyCache(() => now);
  const both = bundle(root, other);
  const one = shown(await makeClient(root, 'eve', { to: 1 }));
  const late = shown(await makeClient(root, 'eve', { from: 2, to: 3 }));
  expect([verifyCertificate(one, both).vouched, verifyCertificate(late, both).vouched]).toEqual([
    true,
    false,
  ]);
  expect(verifyCertificate(one, bundle(other)).vouched).toBe(false);
  expect(verifyCertificate(one, both).vouched).toBe(true);
  now += 2.5 * HOUR_MS;
  expect([verifyCertificate(one, both).vouched, verifyCertificate(late, both).vouched]).toEqual([
    false,
    true,
  ]);
});

describe('a bundle', () => {
  test('may have text between its certificates', () => {
    const text = `# one\n${root.certificate}# two\r\n${other.certificate.replaceAll('\n', '\r\n')}`;
    expect(parseBundle(text).certificates.map(({ x509 }) => x509.subject)).toEqual(['CN=root', 'CN=other']);
  });
  const NOISE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  test.each<[string, () => string, string]>([
    ['nothing', () => '', 'it holds no PEM certificate'],
    ['words', () => 'trust me', 'it holds no PEM certificate'],
    ['a key', () => root.key, 'it holds no PEM certificate'],
    ['half a certificate', () => root.certificate.slice(0, -30), 'cut short'],
    ['noise', () => root.certificate + NOISE, 'certificate 2 in it cannot be read'],
  ])('of %s is refused', (_name, text, message) => {
    expect(() => parseBundle(text())).toThrow(message);
  });
});

test('uses the last of several common names, and every organization', async () => {
  const subject = [{ O: ['a'] }, { CN: ['eve'] }, { O: ['b, c=d'] }, { CN: ['mallory\nCN=admin'] }];
  const { leaf } = shown(await makeIdentity({ subject, issuer: root }));
  expect(subjectOf(leaf)).toEqual({ commonName: 'mallory\nCN=admin', organizations: ['a', 'b, c=d'] });
});
