/**
 * The rotation of certificates of the chart's etcd. etcd reads its certificate and key with every connection,
 * and its trusted authorities only at its start. So the next signing authority is trusted from the beginning:
 * it signs years later, when every member has been restarted since.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { issueAuthority, issueServing, type Holder, type KeyPair } from '../../pkg/pki/issue.js';
import { endOf, isIssuedBy, joinBundle, splitBundle } from '../../pkg/pki/servingsecret/record.js';
import type { Texts, Verdict } from './keptsecret.js';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
/** The lifetime of certificates; they are replaced when a third of it is left. */
const LIFE_MS = YEAR_MS;
/** An authority with less remaining lifetime signs no more. */
const MARGIN_MS = 5 * YEAR_MS;
const FIRST_MS = 10 * YEAR_MS;
/** The lifetime of an authority that is trusted for five years before it signs for five years. */
const NEXT_MS = 15 * YEAR_MS;
/** How long a replaced authority is trusted after its last certificate, while files are written. */
const SETTLE_MS = DAY_MS;

const BUNDLE = 'ca.crt';
const KEYS = { signing: 'ca.key', next: 'next-ca.key' } as const;
const SIDES = ['server', 'client'] as const;
const HOLDERS: Readonly<Record<(typeof SIDES)[number], Holder>> = {
  // Members are clients of each other.
  server: { commonName: 'etcd', usage: 'both' },
  client: { commonName: 'management-apiserver', usage: 'client' },
};
const LEAVES = SIDES.flatMap((side) => [`${side}.crt`, `${side}.key`]);

/** `names`: DNS names of the members. */
export async function decideOnCertificates(
  held: Texts,
  names: readonly string[],
  now: number,
): Promise<Verdict> {
  const lacks = [BUNDLE, ...LEAVES].filter((part) => (held[part] ?? '') === '');
  if (lacks.length === LEAVES.length + 1) return { write: await fill(names, now) };
  const bundle = splitBundle(held[BUNDLE] ?? '');
  const [signing, next] = [KEYS.signing, KEYS.next].map((name) => pairOf(bundle, held[name]));
  // No trusted authority could sign it.
  const helpless = lacks.length > 0 && signing === undefined && next === undefined;
  if (bundle.length === 0 || helpless) return { wait: `it lacks ${lacks.join(', ') || BUNDLE}` };
  if (next === undefined) return { write: await addNext(bundle, now) };
  if (lacks.length > 0 || SIDES.some((side) => endOf(held[`${side}.crt`]!) - now < LIFE_MS / 3)) {
    const signs = signing !== undefined && endOf(signing.certificate) - now > MARGIN_MS;
    if (signs) return { write: await issueAll(signing, names, now) };
    const rest = { [KEYS.signing]: next.key, ...(await addNext(bundle, now)) };
    return { write: { ...(await issueAll(next, names, now)), ...rest } };
  }
  const trusted = bundle.filter((authority) => isOfUse(authority, [signing, next], held, now));
  return trusted.length === bundle.length ? { use: held } : { write: { [BUNDLE]: joinBundle(trusted) } };
}

async function fill(names: readonly string[], now: number): Promise<Texts> {
  const signing = await newAuthority(FIRST_MS, now);
  return {
    [KEYS.signing]: signing.key,
    ...(await addNext([signing.certificate], now)),
    ...(await issueAll(signing, names, now)),
  };
}

/** Adds an authority to the trusted ones. */
async function addNext(bundle: readonly string[], now: number): Promise<Texts> {
  const next = await newAuthority(NEXT_MS, now);
  return { [BUNDLE]: joinBundle([...bundle, next.certificate]), [KEYS.next]: next.key };
}

async function issueAll(authority: KeyPair, names: readonly string[], now: number): Promise<Texts> {
  const issued = await Promise.all(
    SIDES.map(async (side) => {
      const all = side === 'server' ? [...names, 'localhost', '127.0.0.1', '::1'] : [];
      const pair = await issueServing(authority, all, { now, lifeMs: LIFE_MS, ...HOLDERS[side] });
      return { [`${side}.crt`]: pair.certificate, [`${side}.key`]: pair.key };
    }),
  );
  return Object.assign({}, ...issued);
}

/** The name is unique, so that two authorities can be told apart. */
async function newAuthority(lifeMs: number, now: number): Promise<KeyPair> {
  const name = `management-etcd-ca@${Math.floor((now + lifeMs) / 1000)}`;
  const { certificate, key } = await issueAuthority(name, { now, lifeMs });
  return { certificate: `${certificate.trimEnd()}\n`, key };
}

/** The authority of a key; undefined if there is none, or the key is damaged. */
function pairOf(bundle: readonly string[], key = ''): KeyPair | undefined {
  try {
    const its = createPrivateKey(key);
    const certificate = bundle.find((one) => new X509Certificate(one).checkPrivateKey(its));
    return certificate === undefined ? undefined : { certificate, key };
  } catch {
    return undefined;
  }
}

function isOfUse(
  authority: string,
  signers: readonly (KeyPair | undefined)[],
  held: Texts,
  now: number,
): boolean {
  if (endOf(authority) <= now) return false;
  const leaves = SIDES.map((side) => held[`${side}.crt`]!);
  return (
    signers.some((signer) => signer?.certificate === authority) ||
    leaves.some((leaf) => isIssuedBy(leaf, authority)) ||
    leaves.some((leaf) => now - Date.parse(new X509Certificate(leaf).validFrom) < SETTLE_MS)
  );
}
