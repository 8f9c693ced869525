/** What a controller reads of an object: preconditions by uid, so that a write applies to the object that was read, and what changed. */
import type { KubeObject } from '../../api/resource.js';
import { sameJson } from '../registry/object/metadata.js';
import type { UpdateTarget } from './interface.js';

/** The uid for preconditions. Throws an Error for an object without one, to which nothing may be written. */
export function uidOf({ metadata: { namespace, name = '', uid } }: Pick<KubeObject, 'metadata'>): string {
  if (uid !== undefined && uid !== '') return uid;
  throw new Error(`the object ${namespace === undefined ? '' : `${namespace}/`}${name} has no uid`);
}

/** The target of an update of the object or its `subresource`. Throws as {@link uidOf}. */
export function targetOf(object: KubeObject, subresource?: string): UpdateTarget & { readonly uid: string } {
  const { namespace = '', name = '' } = object.metadata;
  return { namespace, name, uid: uidOf(object), ...(subresource !== undefined && { subresource }) };
}

/**
 * Whether at most the status, labels or managed fields differ. For controllers whose status says what a connected cluster answers:
 * one that answers otherwise each time must not cause the next request.
 */
export const sameButStatus = ({ metadata }: KubeObject, { metadata: other }: KubeObject): boolean =>
  metadata.generation === other.generation &&
  metadata.deletionTimestamp === other.deletionTimestamp &&
  sameJson(metadata.finalizers, other.finalizers) &&
  sameJson(metadata.annotations, other.annotations);
