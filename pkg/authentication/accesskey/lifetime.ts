/** How long credentials live, with what they were made with. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { keyEnd } from '../../apimachinery/accesskeyend.js';
import type { ResourceCache } from '../../cache/interface.js';
import { readKeyRecord } from '../../registry/management/ownedaccesskey/keyrecord.js';
import type {
  KeyOrigin,
  KeyReference,
  OriginRecord,
} from '../../registry/management/ownedaccesskey/originrecord.js';
import { joinedOrigin } from '../../registry/management/ownedaccesskey/originrecord.js';
import type { Identities } from '../identities/interface.js';
import type { Credential } from '../interface.js';

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

  function referenceEnd({ name, uid, hash }: KeyReference): number {
    const key = keyOf(name);
    if (key === undefined || key.metadata.uid !== uid || hashOf(name) !== hash) return ENDED;
    if (key.metadata.deletionTimestamp !== undefined || key.spec?.disabled === true) return ENDED;
    if (!hasOwner(key, identities)) return ENDED;
    return keyEnd(key, key.spec?.ttlAfterLastActivity === true ? lastUsed(name) : 0) ?? Infinity;
  }

  function originEnd(name: string): number | undefined {
    const origin = originRecord(name);
    return origin && Math.min(origin.expires ?? Infinity, ...origin.keys.map(referenceEnd));
  }

  return {
    originEnd,
    credentialEnd({ accessKey, expires = Infinity }, now) {
      if (accessKey === undefined) return expires;
      const key = keyOf(accessKey);
      if (key === undefined) return ENDED;
      return Math.min(expires, keyEnd(key, now) ?? Infinity, originEnd(accessKey) ?? Infinity);
    },
    originOf({ accessKey, expires }) {
      const own: KeyOrigin = { keys: [], ...(expires !== undefined && { expires }) };
      if (accessKey === undefined) return expires === undefined ? undefined : own;
      const reference = {
        name: accessKey,
        uid: keyOf(accessKey)?.metadata.uid ?? '',
        hash: hashOf(accessKey) ?? '',
      };
      const made = joinedOrigin(originRecord(accessKey) ?? { keys: [] }, { keys: [reference] });
      return joinedOrigin(made, own);
    },
  };
}

/** Whether a key that names a user or a team may still act as them. */
function hasOwner({ spec = {} }: OwnedAccessKey, identities: Identities): boolean {
  const { user = '', team = '' } = spec;
  if (user !== '') return identities.user(user)?.disabled === false;
  return team === '' || identities.team(team) !== undefined;
}
