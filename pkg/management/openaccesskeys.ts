import type { KeyObject } from 'node:crypto';
import { OwnedAccessKey } from '../../api/management.svc.example/v1/ownedaccesskey.js';
import { Project } from '../../api/management.svc.example/v1/project.js';
import { cacheOf } from '../registry/keys.js';
import { servedStore } from '../registry/resourcestore.js';
import {
  accessKeyAuthenticator,
  type AccessKeyAuthenticator,
} from './accesskeys/authentication/authenticator.js';
import { keyIndex, type KeyIndex } from './accesskeys/authentication/keyindex.js';
import { KeyLifetimes } from './accesskeys/authentication/lifetime.js';
import { createLastUsed } from './accesskeys/authentication/lastused.js';
import type { Identities } from './people/identities/interface.js';
import { KEY_RECORDS, readKeyRecord } from './accesskeys/keyrecord.js';
import { ORIGIN_RECORDS } from './accesskeys/originrecord.js';
import { USE_RECORDS } from './accesskeys/userecord.js';
import type { Registry } from '../registry/registry.js';
import type { AdminKeys } from './administrators/adminkeys.js';
import { recordLastActivity } from './accesskeys/lastactivity.js';

export interface AccessKeys {
  readonly authenticator: AccessKeyAuthenticator;
  readonly index: KeyIndex;
  readonly lifetimes: KeyLifetimes;
  stop(): Promise<void>;
}

export interface AccessKeySecrets {
  readonly pepper: KeyObject;
  /** Absent: there are no administrators' keys. */
  readonly adminKeys?: Pick<AdminKeys, 'named'>;
}

/** The access keys in `registry`. `failed`: called when their last use cannot be written. */
export function openAccessKeys(
  { cache, stores }: Registry,
  identities: Identities,
  { pepper, adminKeys }: AccessKeySecrets,
  failed: (error: unknown) => void,
): AccessKeys {
  const store = servedStore(stores, OwnedAccessKey);
  const uses = cache.resource(USE_RECORDS.resource);
  const lastUsed = createLastUsed(uses);
  const records = cache.resource(KEY_RECORDS.resource);
  const index = keyIndex(records, pepper);
  const origins = cache.resource(ORIGIN_RECORDS.resource);
  const lifetimes = new KeyLifetimes({
    keys: store.cache,
    records,
    identities,
    lastUsed: lastUsed.of,
    origins,
  });
  const isAdministrators = (name: string, uid: string | undefined): boolean => {
    const wanted = adminKeys?.named(name);
    if (wanted?.uid === undefined || wanted.uid !== uid) return false;
    const record = records.latest().get(name);
    return record !== undefined && readKeyRecord(record.bytes).hash.equals(wanted.hash);
  };
  return {
    index,
    lifetimes,
    authenticator: accessKeyAuthenticator({
      index,
      keys: store.cache,
      projects: cacheOf(cache, Project),
      identities,
      lastUsed,
      lifetimes,
      isAdministrators,
    }),
    stop: recordLastActivity({ store, uses, origins, lastUsed }, failed),
  };
}
