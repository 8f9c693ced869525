/** X.509 v3 certificates of ECDSA keys on P-256 (RFC 5280), written by this file alone: a library is slow to load. */
import { createHash, randomBytes, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  elements,
  integer,
  octetString,
  oid,
  sequence,
  set,
  tagged,
  time,
  TRUE,
  utf8String,
} from './der.js';
import { ipBytes } from './ipbytes.js';

export interface CertificateRequest {
  /** DER, as of {@link nameOf} or {@link subjectOf}. */
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  /** The issuer's. */
  readonly signingKey: KeyObject;
  /** DER, of the functions below. */
  readonly extensions: readonly Buffer[];
}

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const VERSION_3 = tagged(0xa0, integer(Buffer.from([2])));
const SERIAL_BYTES = 16;

/** A new serial number each time. PEM. */
export function signCertificate(request: CertificateRequest): string {
  const { subject, issuer, notBefore, notAfter, publicKey, signingKey, extensions } = request;
  const signed = sequence(
    VERSION_3,
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    issuer,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = bitString(sign('sha256', signed, signingKey));
  const lines = sequence(signed, ECDSA_WITH_SHA256, signature)
    .toString('base64')
    .match(/.{1,64}/g) as string[];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Positive and of full length: X.509 serial numbers are signed. */
function serialNumber(): Buffer {
  const serial = randomBytes(SERIAL_BYTES);
  serial[0] = ((serial[0] as number) & 0x7f) | 0x40;
  return serial;
}

/** A name of organizations, if any, and a common name. */
export function nameOf(commonName: string, organizations: readonly string[] = []): Buffer {
  const part = (type: string, text: string): Buffer => set(sequence(oid(type), utf8String(text)));
  return sequence(...organizations.map((name) => part('2.5.4.10', name)), part('2.5.4.3', commonName));
}

/** The subject of a certificate, byte for byte, as those that it issues must name it. */
export function subjectOf(pem: string): Buffer {
  const [certificate] = elements(new X509Certificate(pem).raw);
  const [signed] = elements(certificate?.content ?? Buffer.alloc(0));
  // Version, serial number, algorithm, issuer, validity.
  const subject = elements(signed?.content ?? Buffer.alloc(0))[5];
  if (subject === undefined) throw new RangeError('the certificate has no subject');
  return subject.whole;
}

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [TRUE] : []), octetString(value));

/** `issues`: an authority, of certificates that are none themselves. */
export const basicConstraints = (issues: boolean): Buffer =>
  extension('2.5.29.19', issues ? sequence(TRUE, integer(Buffer.from([0]))) : sequence(), true);

/** Bits of the key usage by their numbers. */
export const KEY_USAGE = { digitalSignature: 0, keyCertSign: 5, crlSign: 6 } as const;

export function keyUsage(...usages: readonly (typeof KEY_USAGE)[keyof typeof KEY_USAGE][]): Buffer {
  const bits = usages.reduce<number>((all, usage) => all | (0x80 >> usage), 0);
  return extension('2.5.29.15', bitString(Buffer.from([bits]), 7 - Math.max(...usages)), true);
}

export const extendedKeyUsage = (purpose: string): Buffer => extension('2.5.29.37', sequence(oid(purpose)));

/** DNS names and IP addresses. */
export function alternativeNames(names: readonly string[]): Buffer {
  const [dns, ip] = [0x82, 0x87];
  return extension(
    '2.5.29.17',
    sequence(
      ...names.map((name) =>
        isIP(name) === 0 ? tagged(dns, Buffer.from(name, 'latin1')) : tagged(ip, ipBytes(name)),
      ),
    ),
  );
}

export const subjectKeyId = (key: KeyObject): Buffer => extension('2.5.29.14', octetString(keyId(key)));
export const authorityKeyId = (key: KeyObject): Buffer =>
  extension('2.5.29.35', sequence(tagged(0x80, keyId(key))));

/** SHA-1 of the key without its algorithm (RFC 5280, 4.2.1.2). */
function keyId(key: KeyObject): Buffer {
  const [info] = elements(key.export({ type: 'spki', format: 'der' }));
  const [, bits] = elements(info?.content ?? Buffer.alloc(0));
  return createHash('sha1')
    .update(bits?.content.subarray(1) ?? Buffer.alloc(0))
    .digest();
}
