/** The access keys in the management API: a token ends with the key that it was created with. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { KubeObject } from '../../../api/resource.js';
import { activityPause, keyEnd } from '../../management/accesskeys/keyend.js';
import type { KeyFingerprint } from '../../authentication/interface.js';
import type { ObjectSink } from './follow.js';
import { mapSink } from './people.js';

export interface AccessKeyEnds {
  readonly keys: ObjectSink;
  /** In ms since 1970; 0: it has ended, Infinity: it does not expire. */
  madeWithEnd(key: KeyFingerprint): number;
}

interface Known {
  readonly uid: string;
  readonly end: number;
}

const ENDED = 0;

/**
 * Detects deleted, disabled and expired keys. The API does not show that a key was rotated, or that the key
 * which created it has ended: only the server knows.
 */
export function accessKeyEnds(): AccessKeyEnds {
  const known = new Map<string, Known>();
  return {
    keys: mapSink(known, ended),
    madeWithEnd({ name, uid }) {
      const key = known.get(name);
      return key === undefined || key.uid !== uid ? ENDED : key.end;
    },
  };
}

function ended(key: KubeObject & Pick<OwnedAccessKey, 'spec' | 'status'>): Known {
  const { uid = '', deletionTimestamp } = key.metadata;
  if (deletionTimestamp !== undefined || key.spec?.disabled === true) return { uid, end: ENDED };
  const end = keyEnd(key, 0) ?? Infinity;
  // The status shows its last use late.
  return { uid, end: key.spec?.ttlAfterLastActivity === true ? end + activityPause(key) : end };
}
