/** The content of the serving Secret, and its validation. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { SecretData } from '../../hostclient/secret.js';
import type { KeyPair } from '../issue.js';

/** Contains private keys: must not be logged. */
export interface ServingRecord {
  /** PEM, the trusted authorities: the one that signs first, then older ones whose certificates may still be served. */
  readonly authorities: readonly string[];
  /** The key of the first authority, PKCS #8 PEM. */
  readonly authorityKey: string;
  /** The serving certificate, followed by that of its authority. */
  readonly serving: KeyPair;
}

const NAMES = { bundle: 'ca.crt', authorityKey: 'ca.key', certificate: 'tls.crt', key: 'tls.key' } as const;
const ONE_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text, each as PEM with a newline at its end. */
export function splitBundle(pem: string): string[] {
  return (pem.match(ONE_CERTIFICATE) ?? []).map((one) => `${one}\n`);
}

export const joinBundle = (certificates: readonly string[]): string => certificates.join('');

export function encodeRecord({ authorities, authorityKey, serving }: ServingRecord): SecretData {
  const texts = {
    [NAMES.bundle]: joinBundle(authorities),
    [NAMES.authorityKey]: authorityKey,
    [NAMES.certificate]: serving.certificate,
    [NAMES.key]: serving.key,
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  );
}

/** Undefined if a part is missing, damaged, or does not match the others. */
export function decodeRecord(data: SecretData | undefined): ServingRecord | undefined {
  const text = (name: string): string => Buffer.from(data?.[name] ?? '', 'base64').toString();
  const record: ServingRecord = {
    authorities: splitBundle(text(NAMES.bundle)),
    authorityKey: text(NAMES.authorityKey),
    serving: { certificate: text(NAMES.certificate), key: text(NAMES.key) },
  };
  return isSound(record) ? record : undefined;
}

function isSound({ authorities, authorityKey, serving }: ServingRecord): boolean {
  try {
    const [signing] = authorities;
    if (signing === undefined) return false;
    const served = new X509Certificate(serving.certificate);
    return (
      new X509Certificate(signing).checkPrivateKey(createPrivateKey(authorityKey)) &&
      served.checkPrivateKey(createPrivateKey(serving.key)) &&
      authorities.some((authority) => isIssuedBy(serving.certificate, authority))
    );
  } catch {
    return false;
  }
}

/** Whether the first certificate of a PEM text was signed by this authority. */
export function isIssuedBy(certificate: string, authority: string): boolean {
  return new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey);
}

/** The expiry of the first certificate of a PEM text, as a time of Date.now(). */
export const endOf = (certificate: string): number => Date.parse(new X509Certificate(certificate).validTo);
