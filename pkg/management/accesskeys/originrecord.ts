/** Private records of the credentials that created an access key, and that the key cannot outlive. */
import type { Write } from '../../storage/interface.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Cached with the objects, so that both are updated together; not served. */
export const ORIGIN_RECORDS = {
  resource: 'private/accesskeyorigins',
  prefix: 'registry/private/accesskeyorigins/',
} as const;

/** An access key at the time when another was created with it. */
export interface KeyReference {
  readonly name: string;
  readonly uid: string;
  /** HMAC-SHA256 of the key, base64: a rotated key is another credential. */
  readonly hash: string;
}

export interface KeyOrigin {
  /** Expiry of a credential other than an access key, in ms since 1970; absent: it does not expire, or there is none. */
  readonly expires?: number;
  /** All keys of the chain, the first one first; the key gives access only while each of them does. */
  readonly keys: readonly KeyReference[];
}

/**
 * `of`: the uid of the key. The record remains after the key until it is garbage-collected, and does not apply to
 * another key of the same name.
 */
export interface OriginRecord extends KeyOrigin {
  readonly of: string;
}

/** Throws on a value that no release wrote. */
export const readOrigin = (value: Buffer): OriginRecord => parseStored<OriginRecord>(value);

export function originWrite(name: string, record: OriginRecord, expect: Write['expect']): Write {
  return { key: ORIGIN_RECORDS.prefix + name, value: Buffer.from(JSON.stringify(record)), expect };
}

/** Combines two origins: the earlier expiry, and the keys of both. */
export function joinedOrigin(one: KeyOrigin, other: KeyOrigin): KeyOrigin {
  const expires = Math.min(one.expires ?? Infinity, other.expires ?? Infinity);
  const known = new Set(one.keys.map(identityOf));
  const keys = [...one.keys, ...other.keys.filter((key) => !known.has(identityOf(key)))];
  return { keys, ...(expires !== Infinity && { expires }) };
}

const identityOf = ({ uid, hash }: KeyReference): string => `${uid} ${hash}`;
