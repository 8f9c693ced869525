import { createPrivateKey, generateKeyPair, X509Certificate, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import {
  alternativeNames,
  authorityKeyId,
  basicConstraints,
  extendedKeyUsage,
  KEY_USAGE,
  keyUsage,
  nameOf,
  signCertificate,
  subjectKeyId,
  subjectOf,
} from './certificate.js';

/** A certificate and its private key, PEM. */
export interface KeyPair {
  readonly certificate: string;
  /** PKCS #8. */
  readonly key: string;
}

const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
const SERVING_DAYS = 365;
/** Certificates begin a little in the past, for clients whose clocks are late. */
const SKEW_MS = 5 * 60_000;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

/** A new self-signed certificate authority, ECDSA P-256, valid for ten years. */
export async function issueAuthority(commonName: string, now = Date.now()): Promise<KeyPair> {
  const { publicKey, privateKey } = await newKeys();
  const name = nameOf(commonName);
  const certificate = signCertificate({
    subject: name,
    issuer: name,
    ...validity(now, CA_DAYS),
    publicKey,
    signingKey: privateKey,
    extensions: [
      basicConstraints(true),
      keyUsage(KEY_USAGE.digitalSignature, KEY_USAGE.keyCertSign, KEY_USAGE.crlSign),
      subjectKeyId(publicKey),
    ],
  });
  return { certificate, key: exported(privateKey) };
}

/** A serving certificate for `names` (DNS names and IP addresses), valid for a year. */
export async function issueServing(
  authority: KeyPair,
  names: readonly string[],
  now = Date.now(),
): Promise<KeyPair> {
  const { publicKey, privateKey } = await newKeys();
  const certificate = signCertificate({
    subject: nameOf('management-apiserver'),
    issuer: subjectOf(authority.certificate),
    ...validity(now, SERVING_DAYS),
    publicKey,
    signingKey: createPrivateKey(authority.key),
    extensions: [
      basicConstraints(false),
      keyUsage(KEY_USAGE.digitalSignature),
      extendedKeyUsage(SERVER_AUTH),
      alternativeNames(names),
      authorityKeyId(new X509Certificate(authority.certificate).publicKey),
      subjectKeyId(publicKey),
    ],
  });
  return { certificate, key: exported(privateKey) };
}

function validity(now: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - SKEW_MS), notAfter: new Date(now + days * DAY_MS) };
}

const generate = promisify(generateKeyPair);
const newKeys = (): Promise<{ publicKey: KeyObject; privateKey: KeyObject }> =>
  generate('ec', { namedCurve: 'P-256' });
const exported = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
