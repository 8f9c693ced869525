/** What a write answers with: an object is shown to who may get it. */
import type { Authorizer } from '../../authorization/interface.js';
import type { ResourceCall } from '../authenticatedcall.js';
import type { Representation } from '../responsewriters/representation.js';

/**
 * The form of the answer to a delete, an update or a patch: the metadata alone for somebody without `get`, as far as kinds
 * are this project's own (Kubernetes shows all). Ask for it before the write, which may end that right with the object;
 * never rejects.
 */
export async function answerForm(
  { store, info, user }: ResourceCall,
  authorizer: Authorizer,
  representation: Representation,
): Promise<Representation> {
  if (store.definition.builtIn || representation.metadata !== undefined) return representation;
  try {
    const { allowed } = await authorizer.authorize(user, { ...info, verb: 'get' });
    if (allowed) return representation;
  } catch {
    // Nobody knows whether they may: the write goes on.
  }
  return { ...representation, table: undefined, metadata: 'v1', plain: false };
}
