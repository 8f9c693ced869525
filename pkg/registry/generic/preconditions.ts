/** Checks of an update against the object that it addresses. */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import {
  badRequest,
  conflict,
  fieldInvalid,
  invalid,
  staleResourceVersion,
  type StatusError,
} from '../../apimachinery/errors.js';
import { parseObjectVersion } from '../../apimachinery/options/resourceversion.js';
import { settleNamespace } from '../object/metadata.js';
import { storeKey, type ResourceStore } from '../resourcestore.js';
import type { UpdateRequest } from '../object/updaterequest.js';

/** Throws StatusError 400 if name or namespace of `next` differ from the URL. */
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

/** Throws StatusError 409 if the uid of a PUT is not that of the live object. */
export function checkUid(
  store: ResourceStore,
  { namespace, name, versionRequired }: UpdateRequest,
  { metadata: { uid = '' } }: KubeObject,
  liveUid = '',
): void {
  if (!versionRequired || uid === '' || uid === liveUid) return;
  throw conflict(
    store.definition,
    name,
    `StorageError: invalid object, Code: 4, Key: /${storeKey(store, { namespace, name })}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${liveUid}`,
  );
}

/**
 * Throws StatusError 409 if the resourceVersion of `next` is not that of the live object, 422 if it is required and
 * missing.
 */
export function checkVersion(
  { definition }: ResourceStore,
  request: UpdateRequest,
  { metadata: { resourceVersion } }: KubeObject,
  revision: number,
): void {
  const wanted =
    resourceVersion === undefined || resourceVersion === '' ? 0 : parseObjectVersion(resourceVersion);
  if (wanted === 0) {
    if (!request.versionRequired || definition.unconditionalUpdate) return;
    throw versionMissing(definition, request.name);
  }
  if (wanted !== revision) throw staleResourceVersion(definition, request.name);
}

/** The error (422) for an update without the resourceVersion that its kind requires. */
export function versionMissing(definition: ResourceDefinition, name: string): StatusError {
  const error = fieldInvalid('metadata.resourceVersion', 0, 'must be specified for an update');
  return invalid({ group: definition.group, kind: definition.plural }, name, [error]);
}
