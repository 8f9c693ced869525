/** What a write shows of its object: all of it to who may read it, else by what it is known alone. */
import type { KubeObject } from '../../../api/resource.js';
import type { VisibilityFilter } from '../../registry/visibilityfilter.js';
import { encodeJson } from '../../apimachinery/encoding/json.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { StoredKindRequest } from '../requestcontext.js';
import { decide, type DecideParts } from '../filters/authorization.js';
import type { Representation } from '../responsewriters/representation.js';

/**
 * Whether the answer to a delete, an update or a patch may show the object: Kubernetes shows its own kinds to every writer,
 * those of this project take `get`. Ask before the write, which may end that right with the object; never rejects.
 */
export async function mayGet(
  { store, info, user }: StoredKindRequest,
  authorizer: Authorizer,
): Promise<boolean> {
  if (store.definition.builtIn) return true;
  try {
    return (await authorizer.authorize(user, { ...info, verb: 'get' })).allowed;
  } catch {
    // Nobody knows whether they may; the write itself goes on.
    return false;
  }
}

/** The same of each object of a collection: a list must show it. */
export async function listed(
  { store, info, user, view }: StoredKindRequest,
  parts: DecideParts,
): Promise<VisibilityFilter['sees']> {
  // A filter leaves what the caller may get.
  if (store.definition.builtIn || 'filter' in view) return () => true;
  try {
    const { view: shown } = await decide(parts, user, { ...info, verb: 'list' });
    const now = shown !== undefined && 'filter' in shown ? shown.filter.current() : shown;
    if (now === undefined) return () => false;
    return 'filter' in now ? now.filter.sees : () => true;
  } catch {
    return () => false;
  }
}

/** The representation for somebody who may not read the object: metadata alone, and no Table. */
export const metadataAlone = (representation: Representation): Representation => ({
  ...representation,
  table: undefined,
  metadata: representation.metadata ?? 'v1',
  plain: false,
});

/**
 * An object without its fields, and without what its writers have noted in its metadata: annotations may hold all of it, as
 * the one of `kubectl apply` does.
 */
export function withoutContent(bytes: Buffer): Buffer {
  const { kind, apiVersion, metadata } = parseStored<KubeObject>(bytes);
  const { annotations: _annotations, managedFields: _managedFields, ...known } = metadata;
  return Buffer.from(encodeJson({ kind, apiVersion, metadata: known }));
}
