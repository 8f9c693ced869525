/** Lifetimes of credentials, limited by the credentials that they were created with. */
import { createHash } from 'node:crypto';
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Team } from '../../../../api/management.svc.example/v1/team.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { keyEnd } from '../keyend.js';
import type { Entry, ResourceCache } from '../../../cache/interface.js';
import { KEY_RECORDS, readKeyRecord } from '../keyrecord.js';
import { joinedOrigin, type KeyOrigin, type KeyReference, type OriginRecord } from '../originrecord.js';
import { API_KEY_TYPES } from '../validation.js';
import type { Identities } from '../../people/identities/interface.js';
import type { Credential, KeyFingerprint } from '../../../authentication/interface.js';

export interface LifetimeParts {
  /** The objects of the keys. */
  readonly keys: Pick<ResourceCache<OwnedAccessKey>, 'latest'>;
  /** The records of the keys. */
  readonly records: Pick<ResourceCache, 'latest'>;
  /** The origins of keys. */
  readonly origins: Pick<ResourceCache, 'latest' | 'undecryptable'>;
  /** When a key was seen used last, in ms since 1970; 0: never. */
  readonly lastUsed: (name: string) => number;
  readonly identities: Identities;
}

/** For a key that was deleted, disabled or replaced, or whose origin cannot be read. */
const ENDED = 0;

/** Answers from memory, as current as the caches. Times in ms since 1970; `Infinity`: without end. */
export class KeyLifetimes {
  private readonly fingerprints = new WeakMap<Entry, string>();

  constructor(private readonly parts: LifetimeParts) {}

  /**
   * The expiry of the credential that a key was created with. In the past if that ended or its record cannot be read.
   * Undefined if nothing limits the key.
   */
  originEnd(name: string): number | undefined {
    if (this.parts.origins.undecryptable().has(name)) return ENDED;
    const origin = this.originRecord(name);
    if (origin === undefined) return undefined;
    const ends = origin.keys.map((reference) => this.referenceEnd(reference));
    return Math.min(origin.expires ?? Infinity, ...ends);
  }

  /** When a credential ends that is being used `now`. */
  credentialEnd({ accessKey, expires = Infinity, madeWith }: Credential, now: number): number {
    const bound = madeWith === undefined ? expires : Math.min(expires, this.madeWithEnd(madeWith));
    if (accessKey === undefined) return bound;
    const key = this.keyOf(accessKey);
    if (key === undefined) return ENDED;
    return Math.min(expires, keyEnd(key, now) ?? Infinity, this.originEnd(accessKey) ?? Infinity);
  }

  /** The origin of new credentials; undefined: none. */
  originOf({ accessKey, expires, madeWith }: Credential): KeyOrigin | undefined {
    const own: KeyOrigin = { keys: [], ...(expires !== undefined && { expires }) };
    const name = accessKey ?? madeWith?.name;
    if (name === undefined) return expires === undefined ? undefined : own;
    const stillIt = accessKey !== undefined || this.fingerprintOf(name) === madeWith?.fingerprint;
    const uid = accessKey === undefined ? madeWith?.uid : this.keyOf(name)?.metadata.uid;
    const reference = { name, uid: uid ?? '', hash: stillIt ? (this.hashOf(name) ?? '') : '' };
    const made = joinedOrigin(this.originRecord(name) ?? { keys: [] }, { keys: [reference] });
    return joinedOrigin(made, own);
  }

  /** The access key that new tokens end with; undefined: none. */
  madeWith({ accessKey: name, madeWith }: Credential): KeyFingerprint | undefined {
    if (name === undefined) return madeWith;
    const uid = this.keyOf(name)?.metadata.uid ?? '';
    return { name, uid, fingerprint: this.fingerprintOf(name) ?? '' };
  }

  /** The expiry of the access key that a token was created with, limited by the origins of that key in turn. */
  madeWithEnd({ name, uid, fingerprint: known }: KeyFingerprint): number {
    if (this.fingerprintOf(name) !== known) return ENDED;
    return Math.min(this.ownEnd(name, uid), this.originEnd(name) ?? Infinity);
  }

  /**
   * The objects that {@link KeyLifetimes.madeWithEnd} depends on, each as `<resource>/<path>`: the key and those
   * that it was created with, with their records and owners.
   */
  dependenciesOf({ name }: KeyFingerprint): string[] {
    const chain = [name, ...(this.originRecord(name)?.keys ?? []).map((key) => key.name)];
    return chain.flatMap((one) => {
      const { user = '', team = '' } = this.keyOf(one)?.spec ?? {};
      return [
        `${OwnedAccessKey.plural}/${one}`,
        `${KEY_RECORDS.resource}/${one}`,
        ...(user === '' ? [] : [`${User.plural}/${user}`]),
        ...(team === '' ? [] : [`${Team.plural}/${team}`]),
      ];
    });
  }

  private referenceEnd({ name, uid, hash }: KeyReference): number {
    return this.hashOf(name) === hash ? this.ownEnd(name, uid) : ENDED;
  }

  private ownEnd(name: string, uid: string): number {
    const { identities, lastUsed } = this.parts;
    const key = this.keyOf(name);
    if (key === undefined || key.metadata.uid !== uid) return ENDED;
    if (key.metadata.deletionTimestamp !== undefined || key.spec?.disabled === true) return ENDED;
    if (!hasOwner(key, identities) || !API_KEY_TYPES.includes(key.spec?.type ?? 'User')) return ENDED;
    return keyEnd(key, key.spec?.ttlAfterLastActivity === true ? lastUsed(name) : 0) ?? Infinity;
  }

  private keyOf(name: string): OwnedAccessKey | undefined {
    return this.parts.keys.latest().get(name)?.object();
  }

  private originRecord(name: string): KeyOrigin | undefined {
    const entry = this.parts.origins.latest().get(name);
    // The cache of origins holds these records, and no objects of the API.
    const record = entry?.object() as unknown as OriginRecord | undefined;
    return record !== undefined && record.of === this.keyOf(name)?.metadata.uid ? record : undefined;
  }

  private hashOf(name: string): string | undefined {
    const record = this.parts.records.latest().get(name);
    return record && readKeyRecord(record.bytes).hash.toString('base64');
  }

  private fingerprintOf(name: string): string | undefined {
    const record = this.parts.records.latest().get(name);
    if (record === undefined) return undefined;
    const known = this.fingerprints.get(record);
    if (known !== undefined) return known;
    const made = fingerprint(readKeyRecord(record.bytes).hash);
    this.fingerprints.set(record, made);
    return made;
  }
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
