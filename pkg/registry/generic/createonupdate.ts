/** Writes that update an object or create it: applies, and PUT of some kinds. */
import type { KubeObject } from '../../../api/resource.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import { conflict, notFound } from '../../apimachinery/errors.js';
import { trackedCreation, type Creation, type TrackedWriteOptions } from './create.js';
import { guaranteedUpdate, type StepResult } from '../transaction/guaranteedupdate.js';
import { storeKey, type ResourceStore, type Stored } from '../resourcestore.js';
import type { UpdateRequest } from '../object/updaterequest.js';
import { updateStep, updateTarget } from './update.js';

/** The object as stored, and whether it is new. */
export interface Written {
  readonly stored: Stored;
  readonly created: boolean;
}

/** `create` is called at most once, if the object does not exist. Throws the errors of create and update. */
export function updateOrCreate(
  store: ResourceStore,
  request: UpdateRequest,
  options: TrackedWriteOptions,
  create: () => Promise<Creation>,
): Promise<Written> {
  let creation: Promise<Creation> | undefined;
  return guaranteedUpdate(store, updateTarget(request, options), async (state) => {
    if (state.live !== undefined)
      return written(await updateStep(store, request, options, state.live, state), false);
    return written(await (await (creation ??= create())).step(state), true);
  });
}

const written = ({ transaction, answer }: StepResult<Stored>, created: boolean): StepResult<Written> => ({
  ...(transaction && { transaction }),
  answer: (revisions) => ({ stored: answer(revisions), created }),
});

/**
 * PUT of `object`, which creates it for kinds with `AllowCreateOnUpdate` (leases, roles and bindings).
 * `authorizeCreation` throws StatusError 403 if the client may not create it. Throws the errors of create and update.
 */
export function putObject(
  store: ResourceStore,
  object: KubeObject,
  request: UpdateRequest,
  options: TrackedWriteOptions,
  authorizeCreation: () => Promise<void>,
): Promise<Written> {
  const { namespace, name, subresource } = request;
  return updateOrCreate(store, request, options, async () => {
    if (!store.definition.createOnUpdate || subresource !== '') throw notFound(store.definition, name);
    await authorizeCreation();
    refuseUid(store, request, object);
    const fresh = copyJson(object);
    delete fresh.metadata.resourceVersion;
    return trackedCreation(store, namespace, fresh, options);
  });
}

/** A body with a uid refers to an existing object, so it cannot create one. */
function refuseUid(
  store: ResourceStore,
  { namespace, name }: Pick<UpdateRequest, 'namespace' | 'name'>,
  { metadata }: KubeObject,
): void {
  const { uid = '' } = metadata;
  if (uid === '') return;
  const key = storeKey(store, { namespace, name });
  throw conflict(
    store.definition,
    name,
    `StorageError: invalid object, Code: 4, Key: /${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: `,
  );
}
