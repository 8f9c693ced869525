/** Creates access keys at login. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import { createObject } from '../../registry/generic/create.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { loopbackOptions } from '../../registry/loopback.js';

export interface LoginKey {
  /** Of its object. */
  readonly name: string;
  readonly uid: string;
  readonly key: string;
  /** Empty for a key that stands for no user. */
  readonly user: string;
  readonly expiresInSeconds: number;
}

/** Creates an access key with fields owned by `fieldManager`. Rejects as {@link createObject}. */
export async function createAccessKey(
  keys: ResourceStore,
  name: string,
  spec: NonNullable<OwnedAccessKey['spec']>,
  fieldManager: string,
): Promise<LoginKey> {
  const object = {
    kind: 'OwnedAccessKey',
    apiVersion: 'management.svc.example/v1',
    metadata: { name },
    spec,
  };
  const { bytes } = await createObject(keys, '', object, loopbackOptions(fieldManager));
  const { metadata, spec: made = {} } = parseStored<OwnedAccessKey>(bytes);
  const { key = '', user = '', ttl: expiresInSeconds = 0 } = made;
  return { name, uid: metadata.uid ?? '', key, user, expiresInSeconds };
}
