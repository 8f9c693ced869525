/** Conversion between the host's objects and values here: canonical JSON without resourceVersion. */
import { isDeepStrictEqual } from 'node:util';
import {
  apiVersionOf,
  isKubeObject,
  type KubeObject,
  type ResourceDefinition,
} from '../../../api/resource.js';
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import { StorageError, type StoredRecord } from '../interface.js';
import type { KindPaths } from './paths.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** The metadata that only the host sets. */
const OF_HOST = ['uid', 'creationTimestamp', 'generation', 'managedFields', 'selfLink'] as const;

/** Keeps every member, known or not. Fills in `kind` and `apiVersion`, which items of lists lack. */
export function recordOf(definition: ResourceDefinition, paths: KindPaths, object: KubeObject): StoredRecord {
  const { namespace, name = '' } = object.metadata;
  const whole = { ...object, kind: definition.kind, apiVersion: apiVersionOf(definition) };
  return {
    key: paths.key(namespace, name),
    value: encodeObject(whole),
    revision: revisionOf(object),
  };
}

/**
 * The object in a response of the host. Throws StorageError `unavailable` if there is none: another program
 * may have answered.
 */
export function answeredObject(body: unknown, outcome: 'none' | 'unknown'): KubeObject {
  if (isKubeObject(body)) return body;
  throw new StorageError({ code: 'unavailable', reason: 'the host answers with no object', outcome });
}

/** The host's resourceVersion, an integer in every supported release of Kubernetes. */
export const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);

const objectIn = (value: Buffer): KubeObject => parseStored<KubeObject>(value);

/** A new object as it is sent, without the metadata that the host sets. */
export const newObject = (value: Buffer): KubeObject => wantedOf(objectIn(value));

/** An object as it is sent to replace the one at this revision. */
export function changedObject(value: Buffer, revision: number): KubeObject {
  const object = objectIn(value);
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/** Whether the host has the content that was to be written. */
export const sameContent = (one: Buffer, other: Buffer): boolean =>
  isDeepStrictEqual(wantedOf(objectIn(one)), wantedOf(objectIn(other)));

function wantedOf(object: KubeObject): KubeObject {
  const metadata = { ...object.metadata };
  for (const member of OF_HOST) delete metadata[member];
  delete metadata.resourceVersion;
  return { ...object, metadata };
}
