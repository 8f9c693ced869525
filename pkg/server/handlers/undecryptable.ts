/** Warnings about objects with unreadable records, and the right to delete them. */
import { forbidden } from '../../apimachinery/errors.js';
import type { DeleteOptions } from '../../apimachinery/options/delete.js';
import type { Authorizer, ResourceAttributes } from '../../authorization/interface.js';
import { countUndecryptable, findUndecryptable } from '../../registry/generic/undecryptable.js';
import { warn, type StoredKindRequest } from '../requestcontext.js';

/** As Kubernetes asks for (`AllowUnsafeMalformedObjectDeletion`). */
const VERB = 'unsafe-delete-ignore-read-errors';

/** Warns callers with an unfiltered list or watch, as the visibility of unreadable objects is unknown. */
export function warnOfUndecryptable(call: StoredKindRequest): void {
  if ('filter' in call.view) return;
  const count = countUndecryptable(call.store, call.info.namespace);
  if (count === 0) return;
  const { definition, strategy } = call.store;
  const verb = count === 1 ? 'is' : 'are';
  const how = strategy.listsUnreadable === true ? 'shown by name alone' : 'left out';
  warn(call, `${count} of the ${definition.plural} cannot be read and ${verb} ${how}`);
}

/** Checks the separate right to delete unreadable objects. Throws StatusError 403. */
export async function checkDeletesLost(
  { info, store, user }: StoredKindRequest,
  { ignoreStoreReadErrorWithClusterBreakingPotential: ignore }: DeleteOptions,
  authorizer: Authorizer,
): Promise<void> {
  if (ignore !== true || findUndecryptable(store, info) === undefined) return;
  const attributes: ResourceAttributes = { ...info, verb: VERB };
  const { allowed } = await authorizer.authorize(user, attributes);
  if (!allowed) throw forbidden(store.definition, info.name, `it takes the right to ${VERB}`);
}
