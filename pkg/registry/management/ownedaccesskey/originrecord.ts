/** What an access key was made with and cannot outlive, kept beside its object where no client writes it. */
import type { Write } from '../../../storage/interface.js';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';

/** In the cache with the objects, so that both move together; no kind is served from it. */
export const ORIGIN_RECORDS = {
  resource: 'private/accesskeyorigins',
  prefix: 'registry/private/accesskeyorigins/',
} as const;

/** An access key as it was when another was made with it. */
export interface KeyReference {
  readonly name: string;
  readonly uid: string;
  /** HMAC-SHA256 of the key, base64: a rotated key is another credential. */
  readonly hash: string;
}

export interface KeyOrigin {
  /** When a credential that is no access key ends, in ms since 1970; absent: it does not end, or there is none. */
  readonly expires?: number;
  /** All keys of the chain, the first first; the key gives access only while each of them does. */
  readonly keys: readonly KeyReference[];
}

/** `of`: uid of the key; the record outlives its key until it is swept, and says nothing of another one of that name. */
export interface OriginRecord extends KeyOrigin {
  readonly of: string;
}

/** Throws on a value that no release wrote. */
export const readOrigin = (value: Buffer): OriginRecord => parseStored<OriginRecord>(value);

export function originWrite(name: string, record: OriginRecord, expect: Write['expect']): Write {
  return { key: ORIGIN_RECORDS.prefix + name, value: Buffer.from(JSON.stringify(record)), expect };
}

/** What depends on both: it ends with the first of all that either depends on. */
export function joinedOrigin(one: KeyOrigin, other: KeyOrigin): KeyOrigin {
  const expires = Math.min(one.expires ?? Infinity, other.expires ?? Infinity);
  const known = new Set(one.keys.map(identityOf));
  const keys = [...one.keys, ...other.keys.filter((key) => !known.has(identityOf(key)))];
  return { keys, ...(expires !== Infinity && { expires }) };
}

const identityOf = ({ uid, hash }: KeyReference): string => `${uid} ${hash}`;
