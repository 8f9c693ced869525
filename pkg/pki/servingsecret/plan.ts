/**
 * What becomes of the certificates in the serving Secret as time passes. At no moment is a certificate served whose
 * authority clients have not been told of: a new authority is published first, beside the old one; certificates of it
 * are served once that is known everywhere; the old one goes when it has ended, and with it all that it signed.
 */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { issueAuthority, issueServing, type KeyPair } from '../issue.js';
import { endOf, isIssuedBy, type ServingRecord } from './record.js';

/** In milliseconds. A certificate is replaced when a third of its life is left. */
export interface ServingLives {
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
  /** Of the Secret; undefined where it is missing or damaged. */
  readonly record: ServingRecord | undefined;
  /** What this server serves with. */
  readonly remembered: ServingRecord | undefined;
  /** Whether clients have known the authorities of `record` for a while. */
  readonly published: boolean;
  readonly now: number;
}

const AUTHORITY_NAME = 'management-apiserver-ca';

/** What the Secret is to hold; undefined where it may stay as it is. */
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

/** A Secret that was lost is a new authority, which takes over as in any rotation where something is still served. */
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
  // Without word of the publication: when nothing can be lost any more.
  return published || endOf(serving.certificate) - now < lives.servingMs / 10;
}

function hasNames(pem: string, names: readonly string[]): boolean {
  const certificate = new X509Certificate(pem);
  return names.every((name) =>
    isIP(name) === 0 ? certificate.checkHost(name) !== undefined : certificate.checkIP(name) !== undefined,
  );
}

/** By the life that certificates have by the wishes of today. */
const isNearEnd = (certificate: string, lifeMs: number, now: number): boolean =>
  endOf(certificate) - now < lifeMs / 3;

/** The name has the time, so that two authorities are told apart. */
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
