/** What a write shows of its object: all of it to who may read it, else by what it is known alone. */
import type { KubeObject } from '../../../api/resource.js';
import { encodeJson } from '../../apimachinery/encoding/json.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { ResourceCall } from '../authenticatedcall.js';
import type { Representation } from '../responsewriters/representation.js';

/**
 * Whether the answer to a delete, an update or a patch may show the object: Kubernetes shows its own kinds to every writer,
 * those of this project take `get`, and for a collection `list`. Ask before the write, which may end that right with the
 * object; never rejects.
 */
export async function mayRead(
  { store, info, user, view }: ResourceCall,
  authorizer: Authorizer,
  verb: 'get' | 'list',
): Promise<boolean> {
  // A filter leaves what the caller may get.
  if (store.definition.builtIn || 'filter' in view) return true;
  try {
    return (await authorizer.authorize(user, { ...info, verb })).allowed;
  } catch {
    // Nobody knows whether they may; the write itself goes on.
    return false;
  }
}

/** The representation for somebody who may not read the object: metadata alone, and no Table. */
export const metadataAlone = (representation: Representation): Representation => ({
  ...representation,
  ...{ table: undefined, metadata: representation.metadata ?? 'v1', plain: false },
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
