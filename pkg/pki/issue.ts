import type * as X509 from '@peculiar/x509';
import { createPrivateKey, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { x509Package } from './x509package.js';

/** A certificate and its private key, PEM. */
export interface KeyPair {
  readonly certificate: string;
  /** PKCS #8. */
  readonly key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const CA_LIFE_MS = 3650 * DAY_MS;
const SERVING_LIFE_MS = 365 * DAY_MS;
/** Certificates are valid from a little in the past, for clients whose clocks are late. */
const SKEW_MS = 5 * 60_000;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const USAGES = { server: [SERVER_AUTH], client: [CLIENT_AUTH], both: [SERVER_AUTH, CLIENT_AUTH] } as const;

/** The validity of a certificate, in milliseconds; absent: from now, with the default lifetime of its kind. */
export interface Lifetime {
  readonly now?: number;
  readonly lifeMs?: number;
}

/** The subject of a certificate. */
export interface Holder {
  readonly commonName?: string;
  /** The extended key usages. */
  readonly usage?: keyof typeof USAGES;
}

type CryptoKey = webcrypto.CryptoKey;

/** Issues a self-signed certificate authority, ECDSA P-256, valid for ten years by default. */
export async function issueAuthority(
  commonName: string,
  { now = Date.now(), lifeMs = CA_LIFE_MS }: Lifetime = {},
): Promise<KeyPair> {
  const x509 = x509Package();
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    ...validity(now, now + lifeMs),
    keys,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

/**
 * Issues a serving certificate for `names` (DNS names and IP addresses), or a client certificate without names; valid
 * for a year by default, but never longer than its authority.
 */
export async function issueServing(
  authority: KeyPair,
  names: readonly string[],
  {
    now = Date.now(),
    lifeMs = SERVING_LIFE_MS,
    commonName = 'management-apiserver',
    usage = 'server',
  }: Lifetime & Holder = {},
): Promise<KeyPair> {
  const x509 = x509Package();
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [commonName] }],
    issuer: issuer.subjectName,
    ...validity(now, Math.min(now + lifeMs, issuer.notAfter.getTime())),
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([...USAGES[usage]]),
      ...(names.length === 0 ? [] : [alternativeNames(x509, names)]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

const alternativeNames = (
  x509: typeof X509,
  names: readonly string[],
): X509.SubjectAlternativeNameExtension =>
  new x509.SubjectAlternativeNameExtension(
    names.map((name) => ({ type: isIP(name) === 0 ? 'dns' : 'ip', value: name })),
  );

function validity(now: number, end: number): { notBefore: Date; notAfter: Date; serialNumber: string } {
  const serial = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)));
  // X.509 serial numbers are signed: keep it positive, and of full length.
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  return {
    notBefore: new Date(now - SKEW_MS),
    notAfter: new Date(end),
    serialNumber: serial.toString('hex'),
  };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function exportKey(key: CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

async function importKey(pem: string): Promise<CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}
