/** How long credentials live, with what they were made with. */
import { createHash } from 'node:crypto';
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { keyEnd } from '../../apimachinery/accesskeyend.js';
import type { Entry, ResourceCache } from '../../cache/interface.js';
import { readKeyRecord } from '../../registry/management/ownedaccesskey/keyrecord.js';
import type {
  KeyOrigin,
  KeyReference,
  OriginRecord,
} from '../../registry/management/ownedaccesskey/originrecord.js';
import { joinedOrigin } from '../../registry/management/ownedaccesskey/originrecord.js';
import { API_KEY_TYPES } from '../../registry/management/ownedaccesskey/validation.js';
import type { Identities } from '../identities/interface.js';
import type { Credential, KeyFingerprint } from '../interface.js';

export interface LifetimeParts {
  /** The objects of the keys. */
  readonly keys: Pick<ResourceCache, 'latest'>;
  /** What is kept of the keys. */
  readonly records: Pick<ResourceCache, 'latest'>;
  /** What keys were made with. */
  readonly origins: Pick<ResourceCache, 'latest'>;
  /** When a key was seen used last, in ms since 1970; 0: never. */
  readonly lastUsed: (name: string) => number;
  readonly identities: Identities;
}

/** Answers from memory, as current as the caches. Times in ms since 1970; `Infinity`: without end. */
export interface KeyLifetimes {
  /** When what a key was made with ends, or has ended. Undefined: it was made with nothing that bounds it. */
  originEnd(name: string): number | undefined;
  /** When a credential ends that is being used `now`. */
  credentialEnd(credential: Credential, now: number): number;
  /** What is made with a credential depends on; undefined: on nothing. */
  originOf(credential: Credential): KeyOrigin | undefined;
  /** The access key that tokens end with that are made with a credential; undefined: there is none. */
  madeWith(credential: Credential): KeyFingerprint | undefined;
  /** When a key ends that a token was made with, or has ended; whatever that key was made with in turn ends it, too. */
  madeWithEnd(key: KeyFingerprint): number;
}

/** A key that is gone, disabled, or another one by now. */
const ENDED = 0;

export function keyLifetimes(parts: LifetimeParts): KeyLifetimes {
  const { keys, records, origins, lastUsed, identities } = parts;
  const keyOf = (name: string): OwnedAccessKey | undefined =>
    keys.latest().get(name)?.object() as OwnedAccessKey | undefined;
  const originRecord = (name: string): KeyOrigin | undefined => {
    const record = origins.latest().get(name)?.object() as unknown as OriginRecord | undefined;
    return record !== undefined && record.of === keyOf(name)?.metadata.uid ? record : undefined;
  };
  const hashOf = (name: string): string | undefined => {
    const record = records.latest().get(name);
    return record && readKeyRecord(record.bytes).hash.toString('base64');
  };
  const fingerprints = new WeakMap<Entry, string>();
  const fingerprintOf = (name: string): string | undefined => {
    const record = records.latest().get(name);
    if (record === undefined) return undefined;
    const known = fingerprints.get(record);
    if (known !== undefined) return known;
    const made = fingerprint(readKeyRecord(record.bytes).hash);
    fingerprints.set(record, made);
    return made;
  };

  function referenceEnd({ name, uid, hash }: KeyReference): number {
    return hashOf(name) === hash ? ownEnd(name, uid) : ENDED;
  }

  function ownEnd(name: string, uid: string): number {
    const key = keyOf(name);
    if (key === undefined || key.metadata.uid !== uid) return ENDED;
    if (key.metadata.deletionTimestamp !== undefined || key.spec?.disabled === true) return ENDED;
    if (!hasOwner(key, identities) || !API_KEY_TYPES.includes(key.spec?.type ?? 'User')) return ENDED;
    return keyEnd(key, key.spec?.ttlAfterLastActivity === true ? lastUsed(name) : 0) ?? Infinity;
  }

  function originEnd(name: string): number | undefined {
    const origin = originRecord(name);
    return origin && Math.min(origin.expires ?? Infinity, ...origin.keys.map(referenceEnd));
  }

  function madeWithEnd({ name, uid, fingerprint: known }: KeyFingerprint): number {
    if (fingerprintOf(name) !== known) return ENDED;
    return Math.min(ownEnd(name, uid), originEnd(name) ?? Infinity);
  }

  return {
    originEnd,
    madeWithEnd,
    madeWith({ accessKey: name, madeWith }) {
      if (name === undefined) return madeWith;
      return { name, uid: keyOf(name)?.metadata.uid ?? '', fingerprint: fingerprintOf(name) ?? '' };
    },
    credentialEnd({ accessKey, expires = Infinity, madeWith }, now) {
      const bound = madeWith === undefined ? expires : Math.min(expires, madeWithEnd(madeWith));
      if (accessKey === undefined) return bound;
      const key = keyOf(accessKey);
      if (key === undefined) return ENDED;
      return Math.min(expires, keyEnd(key, now) ?? Infinity, originEnd(accessKey) ?? Infinity);
    },
    originOf({ accessKey, expires, madeWith }) {
      const own: KeyOrigin = { keys: [], ...(expires !== undefined && { expires }) };
      const name = accessKey ?? madeWith?.name;
      if (name === undefined) return expires === undefined ? undefined : own;
      const stillIt = accessKey !== undefined || fingerprintOf(name) === madeWith?.fingerprint;
      const uid = accessKey === undefined ? madeWith?.uid : keyOf(name)?.metadata.uid;
      const reference = { name, uid: uid ?? '', hash: stillIt ? (hashOf(name) ?? '') : '' };
      const made = joinedOrigin(originRecord(name) ?? { keys: [] }, { keys: [reference] });
      return joinedOrigin(made, own);
    },
  };
}

/** Of a kept hash, which is an HMAC under a secret key: tokens carry it to others. */
const fingerprint = (hash: Buffer): string =>
  createHash('sha256').update(hash).digest().subarray(0, 16).toString('base64url');

/** Whether a key that names a user or a team may still act as them. */
function hasOwner({ metadata, spec = {} }: OwnedAccessKey, identities: Identities): boolean {
  const { user = '', team = '' } = spec;
  if (user === '' && team === '') return true;
  const owner = user === '' ? identities.team(team) : identities.user(user);
  if (owner === undefined || ('disabled' in owner && owner.disabled)) return false;
  const kind = user === '' ? 'Team' : 'User';
  return !metadata.ownerReferences?.some(
    (reference) => reference.kind === kind && reference.uid !== owner.uid,
  );
}
