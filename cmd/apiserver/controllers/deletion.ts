import type { DeleteRequest } from '../../../pkg/controllers/interface.js';

/** As `meta/v1.DeleteOptions` has it. */
export type Deletion = Omit<DeleteRequest, 'uid' | 'resourceVersion'> & {
  readonly preconditions?: Pick<DeleteRequest, 'uid' | 'resourceVersion'>;
};

/** What a controller asks for, with its preconditions where DELETE has them. */
export function deletionOf({ uid, resourceVersion, ...rest }: DeleteRequest): Deletion {
  if (uid === undefined && resourceVersion === undefined) return rest;
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return { preconditions, ...rest };
}
