/** Objects as the host has them, and the values that they are here: canonical JSON without resourceVersion. */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { apiVersionOf, isKubeObject } from '../../../api/resource.js';
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import type { StoredRecord } from '../interface.js';
import { StorageError } from '../interface.js';
import type { KindPaths } from './paths.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** What the host says of an object, and nobody else. */
const OF_HOST = ['uid', 'creationTimestamp', 'generation', 'managedFields', 'selfLink'] as const;

/** Every member stays, known here or not. `kind` and `apiVersion`, which items of lists lack, are filled in. */
export function recordOf(definition: ResourceDefinition, paths: KindPaths, object: KubeObject): StoredRecord {
  const { namespace, name = '' } = object.metadata;
  const whole = { ...object, kind: definition.kind, apiVersion: apiVersionOf(definition) };
  return {
    key: paths.key(namespace, name),
    value: encodeObject(whole),
    revision: revisionOf(object),
  };
}

/** The object that a host answered with. StorageError `unavailable` where the answer is none: something else may have spoken. */
export function answeredObject(body: unknown, outcome: 'none' | 'unknown'): KubeObject {
  if (isKubeObject(body)) return body;
  throw new StorageError({ code: 'unavailable', reason: 'the host answers with no object', outcome });
}

/** The host's resourceVersion, an integer on every line of Kubernetes that this server stands behind. */
export const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);

export const objectIn = (value: Buffer): KubeObject => parseStored<KubeObject>(value);

/** A new object as it is sent: the host gives it what is its own to give. */
export const newObject = (value: Buffer): KubeObject => wantedOf(objectIn(value));

/** An object as it is sent in the place of the one at this revision. */
export function changedObject(value: Buffer, revision: number): KubeObject {
  const object = objectIn(value);
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/** Whether the host has what was to be written. */
export const sameContent = (one: Buffer, other: Buffer): boolean =>
  isDeepStrictEqual(wantedOf(objectIn(one)), wantedOf(objectIn(other)));

function wantedOf(object: KubeObject): KubeObject {
  const metadata = { ...object.metadata };
  for (const member of OF_HOST) delete metadata[member];
  delete metadata.resourceVersion;
  return { ...object, metadata };
}
