import type { DeleteRequest } from '../interface.js';

/** The members of `meta/v1.DeleteOptions`. */
export type Deletion = Omit<DeleteRequest, 'uid' | 'resourceVersion'> & {
  readonly preconditions?: Pick<DeleteRequest, 'uid' | 'resourceVersion'>;
};

/** A controller's request, with its preconditions as in DELETE. */
export function deletionOf({ uid, resourceVersion, ...rest }: DeleteRequest): Deletion {
  if (uid === undefined && resourceVersion === undefined) return rest;
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return { preconditions, ...rest };
}
