/**
 * The rotation of the certificates in the serving Secret. A certificate is only served after clients know its
 * authority: a new authority is published beside the old one, then it issues certificates, and the old one is removed
 * when it has expired, with all that it signed.
 */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { issueAuthority, issueServing, type KeyPair } from '../issue.js';
import { endOf, isIssuedBy, type ServingRecord } from './record.js';

/** Lifetimes in milliseconds. A certificate is replaced when a third of its lifetime is left. */
interface ServingLives {
  /** At least three times that of serving certificates. */
  readonly authorityMs: number;
  readonly servingMs: number;
}

export interface ServingRequirements {
  /** DNS names and IP addresses that the certificate must have. */
  readonly names: readonly string[];
  readonly lives: ServingLives;
}

export interface ServingSituation {
  /** The record of the Secret; undefined if it is missing or damaged. */
  readonly record: ServingRecord | undefined;
  /** The record that this server uses. */
  readonly remembered: ServingRecord | undefined;
  /** Whether the authorities of `record` were published long enough ago. */
  readonly published: boolean;
  readonly now: number;
}

const AUTHORITY_NAME = 'management-apiserver-ca';

/** The next content of the Secret; undefined if it is unchanged. */
export async function nextRecord(
  situation: ServingSituation,
  wishes: ServingRequirements,
): Promise<ServingRecord | undefined> {
  const { record, now } = situation;
  const { lives } = wishes;
  if (record === undefined) return await firstRecord(situation, wishes);
  const [signing = '', ...older] = record.authorities;
  const kept = older.filter((authority) => endOf(authority) > now);
  if (isNearEnd(signing, lives.authorityMs, now)) {
    const { certificate, key } = await newAuthority(lives, now);
    return { ...record, authorities: [certificate, signing, ...kept], authorityKey: key };
  }
  if (servingMayChange(situation, record, wishes)) {
    const authority = { certificate: signing, key: record.authorityKey };
    return { ...record, authorities: [signing, ...kept], serving: await newServing(authority, wishes, now) };
  }
  return kept.length === older.length ? undefined : { ...record, authorities: [signing, ...kept] };
}

/**
 * Creates a new authority for a missing Secret, which takes over as in any rotation while an old certificate is still
 * served.
 */
async function firstRecord(
  { remembered, now }: ServingSituation,
  wishes: ServingRequirements,
): Promise<ServingRecord> {
  const authority = await newAuthority(wishes.lives, now);
  if (remembered !== undefined && endOf(remembered.serving.certificate) > now) {
    const kept = remembered.authorities.filter((each) => endOf(each) > now);
    const authorities = [authority.certificate, ...kept];
    return { authorities, authorityKey: authority.key, serving: remembered.serving };
  }
  const serving = await newServing(authority, wishes, now);
  return { authorities: [authority.certificate], authorityKey: authority.key, serving };
}

function servingMayChange(
  { published, now }: ServingSituation,
  { authorities, serving }: ServingRecord,
  { names, lives }: ServingRequirements,
): boolean {
  const nearEnd = isNearEnd(serving.certificate, lives.servingMs, now);
  if (isIssuedBy(serving.certificate, authorities[0]!)) {
    return nearEnd || !hasNames(serving.certificate, names);
  }
  // If it is not known to be published, the certificate is replaced shortly before it expires.
  return published || endOf(serving.certificate) - now < lives.servingMs / 10;
}

function hasNames(pem: string, names: readonly string[]): boolean {
  const certificate = new X509Certificate(pem);
  return names.every((name) =>
    isIP(name) === 0 ? certificate.checkHost(name) !== undefined : certificate.checkIP(name) !== undefined,
  );
}

/** By the lifetime that new certificates have. */
const isNearEnd = (certificate: string, lifeMs: number, now: number): boolean =>
  endOf(certificate) - now < lifeMs / 3;

/** The name contains the time, which distinguishes authorities. */
async function newAuthority({ authorityMs }: ServingLives, now: number): Promise<KeyPair> {
  const name = `${AUTHORITY_NAME}@${Math.floor(now / 1000)}`;
  const { certificate, key } = await issueAuthority(name, { now, lifeMs: authorityMs });
  return { certificate: `${certificate.trimEnd()}\n`, key };
}

async function newServing(
  authority: KeyPair,
  { names, lives }: ServingRequirements,
  now: number,
): Promise<KeyPair> {
  const { certificate, key } = await issueServing(authority, names, { now, lifeMs: lives.servingMs });
  return { certificate: `${certificate.trimEnd()}\n${authority.certificate}`, key };
}
