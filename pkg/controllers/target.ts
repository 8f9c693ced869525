/** That a write meets the very object that was looked at, and none that has taken its name since. */
import type { KubeObject } from '../../api/resource.js';
import type { UpdateTarget } from './interface.js';

/** For preconditions. Throws an Error for an object without one: nothing may be written where it is not known to what. */
export function uidOf({ metadata: { namespace, name = '', uid } }: Pick<KubeObject, 'metadata'>): string {
  if (uid !== undefined && uid !== '') return uid;
  throw new Error(`the object ${namespace === undefined ? '' : `${namespace}/`}${name} has no uid`);
}

/** The object, or its `subresource`, for an update. Throws as {@link uidOf}. */
export function targetOf(object: KubeObject, subresource?: string): UpdateTarget & { readonly uid: string } {
  const { namespace = '', name = '' } = object.metadata;
  return { namespace, name, uid: uidOf(object), ...(subresource !== undefined && { subresource }) };
}
