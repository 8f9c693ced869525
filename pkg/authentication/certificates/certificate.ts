/** The parts of a certificate that verification needs, parsed once. */
import type { X509Certificate } from 'node:crypto';
import { x509Package } from '../../pki/x509package.js';

/** Times in ms since the epoch. */
export interface Certificate {
  readonly x509: X509Certificate;
  readonly notBefore: number;
  readonly notAfter: number;
  /** The maximum number of authorities between it and the certificate of a client. */
  readonly maxBelow: number;
  /** Object identifiers of its allowed uses; undefined: any. */
  readonly purposes: readonly string[] | undefined;
  /** Whether it constrains the names of certificates below it. */
  readonly constrainsNames: boolean;
  readonly hasAlternativeNames: boolean;
  /** Why it counts for nothing, in words. */
  readonly fault: string | undefined;
}

const BASIC_CONSTRAINTS = '2.5.29.19';
const NAME_CONSTRAINTS = '2.5.29.30';
const ALTERNATIVE_NAMES = '2.5.29.17';
/** Extensions that are checked: key usage and extended key usage (by OpenSSL). Policies have no effect here. */
const UNDERSTOOD = [
  BASIC_CONSTRAINTS,
  NAME_CONSTRAINTS,
  ALTERNATIVE_NAMES,
  '2.5.29.15',
  '2.5.29.37',
  '2.5.29.32',
];
const BROKEN_HASHES = ['SHA-1', 'MD5', 'MD2'];
const LEAST_RSA_BITS = 1024;

const known = new WeakMap<X509Certificate, Certificate>();

/** Never throws: an unreadable certificate has a fault. */
export function certificateOf(x509: X509Certificate): Certificate {
  let certificate = known.get(x509);
  if (certificate === undefined) known.set(x509, (certificate = read(x509)));
  return certificate;
}

function read(x509: X509Certificate): Certificate {
  const { X509Certificate: Parsed, BasicConstraintsExtension } = x509Package();
  const nothing = { notBefore: 0, notAfter: 0, maxBelow: 0, purposes: [] };
  try {
    const parsed = new Parsed(x509.raw);
    const has = (type: string): boolean => parsed.extensions.some((extension) => extension.type === type);
    const basic = parsed.getExtension(BasicConstraintsExtension);
    const unknown = parsed.extensions.find(({ critical, type }) => critical && !UNDERSTOOD.includes(type));
    return {
      x509,
      notBefore: parsed.notBefore.getTime(),
      notAfter: parsed.notAfter.getTime(),
      maxBelow: basic?.pathLength ?? Infinity,
      purposes: x509.keyUsage,
      constrainsNames: has(NAME_CONSTRAINTS),
      hasAlternativeNames: has(ALTERNATIVE_NAMES),
      fault:
        unknown === undefined ? weakness(x509, parsed) : `its extension ${unknown.type} is not understood`,
    };
  } catch {
    return { x509, ...nothing, constrainsNames: true, hasAlternativeNames: true, fault: 'it cannot be read' };
  }
}

/** As Go refuses them (`crypto/x509`). */
function weakness(
  { publicKey }: X509Certificate,
  { signatureAlgorithm }: { readonly signatureAlgorithm: { readonly hash?: unknown } },
): string | undefined {
  const { hash } = signatureAlgorithm;
  const name = typeof hash === 'object' && hash !== null && 'name' in hash ? String(hash.name) : '';
  if (BROKEN_HASHES.includes(name)) return `it is signed by means of ${name}`;
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? Infinity;
  return bits < LEAST_RSA_BITS ? 'its key is too short' : undefined;
}
