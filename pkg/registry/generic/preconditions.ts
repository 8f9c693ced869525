/** What a client says of the object that it means to change. */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import type { StatusError } from '../../apimachinery/errors.js';
import {
  badRequest,
  conflict,
  fieldInvalid,
  invalid,
  staleResourceVersion,
} from '../../apimachinery/errors.js';
import { parseObjectVersion } from '../../apimachinery/options/resourceversion.js';
import { settleNamespace } from '../object/metadata.js';
import type { ResourceStore } from './resourcestore.js';
import { storeKey } from './resourcestore.js';
import type { UpdateRequest } from './update.js';

/** Throws StatusError 400 when `next` says it is another object than the one addressed. */
export function checkIdentity(
  store: ResourceStore,
  { name, namespace }: Pick<UpdateRequest, 'name' | 'namespace'>,
  next: KubeObject,
): void {
  const { metadata } = next;
  if ((metadata.name ?? '') === '') {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  settleNamespace(store.definition, metadata, namespace);
}

/** Throws StatusError 409 and 422 where the uid or the resourceVersion that `next` brings is not that of `live`. */
export function checkPreconditions(
  store: ResourceStore,
  request: UpdateRequest,
  next: KubeObject,
  live: { readonly uid: string | undefined; readonly revision: number },
): void {
  const { definition } = store;
  const { uid, resourceVersion } = next.metadata;
  const liveUid = live.uid ?? '';
  if (request.versionRequired && uid !== undefined && uid !== '' && uid !== liveUid) {
    throw conflict(
      definition,
      request.name,
      `StorageError: invalid object, Code: 4, Key: /${storeKey(store, request.namespace, request.name)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${liveUid}`,
    );
  }
  const wanted =
    resourceVersion === undefined || resourceVersion === '' ? 0 : parseObjectVersion(resourceVersion);
  if (wanted === 0) {
    if (!request.versionRequired || definition.unconditionalUpdate) return;
    throw versionMissing(definition, request.name);
  }
  if (wanted !== live.revision) throw staleResourceVersion(definition, request.name);
}

/** The refusal (422) of an update without a version, of a kind that asks for one. */
export function versionMissing(definition: ResourceDefinition, name: string): StatusError {
  const error = fieldInvalid('metadata.resourceVersion', 0, 'must be specified for an update');
  return invalid({ group: definition.group, kind: definition.plural }, name, [error]);
}
