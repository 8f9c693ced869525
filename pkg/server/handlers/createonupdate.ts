/** PUT for kinds that may be created by it (`AllowCreateOnUpdate` of Kubernetes: leases, roles and bindings). */
import type { KubeObject } from '../../../api/resource.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import { StatusError, conflict } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import { createObject } from '../../registry/generic/create.js';
import type { TrackedWriteOptions } from '../../registry/generic/create.js';
import type { Stored } from '../../registry/generic/resourcestore.js';
import { storeKey } from '../../registry/generic/resourcestore.js';
import type { UpdateRequest } from '../../registry/generic/update.js';
import { updateObject } from '../../registry/generic/update.js';
import { authorizeCreation } from '../filters/access.js';
import type { ResourceCall } from '../dispatch.js';

/** How often another client may create or delete the object in between. */
const ATTEMPTS = 5;

/** The object as stored, and whether it is new. Throws what create and update throw, and StatusError 403. */
export async function updateOrCreate(
  call: ResourceCall,
  authorizer: Authorizer,
  object: KubeObject,
  request: UpdateRequest,
  options: TrackedWriteOptions,
): Promise<{ readonly stored: Stored; readonly created: boolean }> {
  const { store, info } = call;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { stored: await updateObject(store, request, options), created: false };
    } catch (error) {
      if (!store.definition.createOnUpdate || info.subresource !== '' || !hasCode(error, 404)) throw error;
    }
    await authorizeCreation(authorizer, call.user, info);
    refuseUid(call, object);
    const fresh = copyJson(object);
    delete fresh.metadata.resourceVersion;
    try {
      return { stored: await createObject(store, info.namespace, fresh, options), created: true };
    } catch (error) {
      if (attempt === ATTEMPTS || !hasCode(error, 409)) throw error;
    }
  }
}

const hasCode = (error: unknown, code: number): boolean =>
  error instanceof StatusError && error.code === code;

/** A uid names an object that is there. */
function refuseUid({ store, info }: ResourceCall, { metadata }: KubeObject): void {
  const { uid = '' } = metadata;
  if (uid === '') return;
  const key = storeKey(store, info.namespace, info.name);
  throw conflict(
    store.definition,
    info.name,
    `StorageError: invalid object, Code: 4, Key: /${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: `,
  );
}
