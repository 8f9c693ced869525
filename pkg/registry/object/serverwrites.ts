/** The server's own writes to an object do not make a client's resourceVersion stale. */
import { parseObjectVersion } from '../../apimachinery/options/resourceversion.js';
import type { KubeObject } from '../../../api/resource.js';
import type { Entry } from '../../cache/interface.js';
import { StorageError } from '../../storage/interface.js';
import { sameJson } from './metadata.js';
import { storeKey, type ResourceStore } from '../resourcestore.js';
import type { UpdateRequest } from './updaterequest.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/**
 * Sets the resourceVersion of `next` to that of `live` if the two revisions differ only in the server's own writes,
 * which the strategy names. A compacted revision is left unchanged. Throws StatusError 400 for an invalid
 * resourceVersion; StorageError.
 */
export async function settleVersion(
  store: ResourceStore,
  { namespace, name }: Pick<UpdateRequest, 'namespace' | 'name'>,
  next: KubeObject,
  live: Entry,
): Promise<void> {
  const { withoutOwnWrites } = store.strategy;
  const { resourceVersion = '' } = next.metadata;
  if (withoutOwnWrites === undefined || resourceVersion === '') return;
  const wanted = parseObjectVersion(resourceVersion);
  if (wanted === 0 || wanted === live.revision) return;
  const seen = await objectAt(store, storeKey(store, { namespace, name }), wanted);
  if (seen === undefined) return;
  const compared = (object: KubeObject): KubeObject => {
    const rest = withoutOwnWrites(structuredClone(object));
    delete rest.metadata.resourceVersion;
    return rest;
  };
  if (sameJson(compared(seen), compared(live.object())))
    next.metadata.resourceVersion = String(live.revision);
}

/** Undefined if the object had no such revision, or it is compacted. */
async function objectAt(
  store: ResourceStore,
  key: string,
  revision: number,
): Promise<KubeObject | undefined> {
  try {
    const { record } = await store.storage.get(key, { revision });
    if (record?.revision !== revision) return undefined;
    return parseStored<KubeObject>(store.codec.decode(record.value, revision));
  } catch (error) {
    const gone =
      error instanceof StorageError && ['compacted', 'future revision'].includes(error.failure.code);
    if (gone) return undefined;
    throw error;
  }
}
