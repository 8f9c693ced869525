/** The rotation of keys that sign tokens: pure functions. Times in ms since 1970. */
import type { JWK } from 'jose';
import { parseStored } from '../apimachinery/encoding/parsestored.js';

export interface RingKey {
  /** Private, ES256, with `kid`. */
  readonly jwk: JWK;
  /** A key is published before it signs, so that it is known everywhere by then. */
  readonly signsFrom: number;
  /** The latest expiry of tokens signed with it, until which it is published. */
  readonly until: number;
}

/** Newest first. */
export type KeyRing = readonly RingKey[];

const FORMAT = 1;
/** Expiries are rounded up to this, so that few tokens cause a write. */
const PROMISE_MS = 3_600_000;
/** How long a key is published before it signs; at most a quarter of its life. */
const MAX_LEAD_MS = 600_000;

/** The key that signs now. */
export function signingKeyOf(ring: KeyRing, now: number): RingKey | undefined {
  return ring.find(({ signsFrom }) => signsFrom <= now) ?? ring.at(-1);
}

/** The ring with a key that is published at least until `until`. */
export function promised(ring: KeyRing, kid: string | undefined, until: number): KeyRing {
  const rounded = Math.ceil(until / PROMISE_MS) * PROMISE_MS;
  return ring.map((key) => (key.jwk.kid === kid && key.until < rounded ? { ...key, until: rounded } : key));
}

/** Whether the newest key has signed for `lifeMs`. */
export function isDue(ring: KeyRing, now: number, lifeMs: number): boolean {
  const newest = ring[0];
  return newest === undefined || newest.signsFrom + lifeMs <= now;
}

/** The ring with a new key, which signs a little later. */
export function rotated(ring: KeyRing, jwk: JWK, now: number, lifeMs: number): KeyRing {
  const lead = ring.length === 0 ? 0 : Math.min(MAX_LEAD_MS, lifeMs / 4);
  return [{ jwk, signsFrom: now + lead, until: 0 }, ...ring];
}

/** The ring without keys that no longer sign and whose last token has expired. */
export function pruned(ring: KeyRing, now: number): KeyRing {
  const signing = signingKeyOf(ring, now);
  return ring.filter((key) => key === signing || key.signsFrom > now || key.until > now);
}

export const encodeRing = (keys: KeyRing): Buffer => Buffer.from(JSON.stringify({ format: FORMAT, keys }));

/** Throws Error for a record of a newer release. */
export function decodeRing(value: Buffer): KeyRing {
  const { format, keys } = parseStored<{ format: number; keys: KeyRing }>(value);
  if (format === FORMAT) return keys;
  throw new Error(`the store's signing keys have format ${format}, written by a newer release than this one`);
}
