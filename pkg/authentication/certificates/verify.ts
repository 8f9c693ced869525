/**
 * Verifies a client certificate by a bundle, as Go's `crypto/x509` does with the usage ClientAuth: dates, signatures,
 * authorities, path lengths and extended key usages of the whole chain. Unlike Go, refuses a certificate with
 * alternative names below name constraints.
 */
import type { ShownCertificate } from '../interface.js';
import type { AuthorityBundle } from './bundle.js';
import { certificateOf, type Certificate } from './certificate.js';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_PURPOSE = '2.5.29.37.0';
/** Limits for one certificate: signatures to check, and certificates in its chain. No valid chain needs more. */
const MAX_CHECKS = 100;
const LONGEST_CHAIN = 10;

/** `until`: ms since the epoch when time alone may change it. */
export interface Verdict {
  readonly vouched: boolean;
  readonly until: number;
}

/** `now`: ms since the epoch. Never throws. */
export function verifyClient(shown: ShownCertificate, bundle: AuthorityBundle, now: number): Verdict {
  const sent = shown.intermediates.map(certificateOf);
  const chain = findChain(certificateOf(shown.leaf), sent, bundle, now);
  if (chain !== undefined)
    return { vouched: true, until: Math.min(...chain.map(({ notAfter }) => notAfter)) };
  const begins = [certificateOf(shown.leaf), ...sent, ...bundle.certificates]
    .map(({ notBefore }) => notBefore)
    .filter((begin) => begin > now);
  return { vouched: false, until: Math.min(...begins) };
}

type Chain = readonly Certificate[];

/** From the leaf to a certificate of the bundle. */
function findChain(
  leaf: Certificate,
  sent: readonly Certificate[],
  { certificates: trusted }: AuthorityBundle,
  now: number,
): Chain | undefined {
  let checks = 0;
  const issued = (issuer: Certificate, subject: Certificate): boolean => {
    if (checks >= MAX_CHECKS || issuer.fault !== undefined) return false;
    if (!subject.x509.checkIssued(issuer.x509)) return false;
    checks += 1;
    return issuer.x509.ca && subject.x509.verify(issuer.x509.publicKey);
  };
  const extend = (chain: Chain): Chain | undefined => {
    if (chain.length >= LONGEST_CHAIN) return undefined;
    const top = chain.at(-1)!;
    for (const anchor of trusted) {
      const whole = [...chain, anchor];
      if (!includes(chain, anchor) && issued(anchor, top) && isSound(whole, now)) return whole;
    }
    for (const next of sent) {
      if (includes(chain, next) || !issued(next, top)) continue;
      const whole = extend([...chain, next]);
      if (whole !== undefined) return whole;
    }
    return undefined;
  };
  if (!includes(trusted, leaf)) return extend([leaf]);
  return isSound([leaf], now) ? [leaf] : undefined;
}

const includes = (some: Chain, one: Certificate): boolean =>
  some.some(({ x509 }) => x509.fingerprint256 === one.x509.fingerprint256);

function isSound(chain: Chain, now: number): boolean {
  return chain.every((certificate, at) => {
    const { notBefore, notAfter, maxBelow, constrainsNames, fault } = certificate;
    const below = chain.slice(0, at);
    return (
      fault === undefined &&
      notBefore <= now &&
      now <= notAfter &&
      isForClients(certificate) &&
      below.length - 1 <= maxBelow &&
      !(constrainsNames && below.some(({ hasAlternativeNames }) => hasAlternativeNames))
    );
  });
}

const isForClients = ({ purposes }: Certificate): boolean =>
  purposes === undefined || purposes.includes(CLIENT_AUTH) || purposes.includes(ANY_PURPOSE);
