/** Preconditions by uid: a write applies to the object that was read, not to another of its name. */
import type { KubeObject } from '../../api/resource.js';
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
