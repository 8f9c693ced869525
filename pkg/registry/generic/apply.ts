/** Server-side apply: an update of an existing object, or a create. */
import { jsonOfObject } from '../../apimachinery/encoding/objectjson.js';
import { apiVersionOf, type JsonValue, type KubeObject } from '../../../api/resource.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import { conflict, notFound } from '../../apimachinery/errors.js';
import { applySteps } from '../../apimachinery/managedfields/applyconfig.js';
import { blankObject } from '../../apimachinery/managedfields/trackedkind.js';
import { redactLastApplied } from '../../apimachinery/managedfields/writeonly.js';
import { inSlices, slices } from '../../apimachinery/eventloop/slices.js';
import { parseObjectVersion } from '../../apimachinery/options/resourceversion.js';
import { Creation, type TrackedWriteOptions } from './create.js';
import { updateOrCreate, type Written } from './createonupdate.js';
import { timestamp } from '../object/metadata.js';
import type { ResourceStore } from '../resourcestore.js';
import { checkIdentity } from './preconditions.js';

/** One apply of one object. */
export interface ApplyRequest {
  readonly namespace: string;
  readonly name: string;
  /** `''`, or `status`. */
  readonly subresource: string;
  /** The applied configuration; not modified. */
  readonly config: JsonValue;
  /** Whether to take over fields of other managers. */
  readonly force: boolean;
  /** Decodes the merged object: types, nulls, defaults. Modifies `value`. Throws StatusError. */
  readonly decode: (value: JsonValue) => Promise<KubeObject>;
  /** Throws StatusError 403 if the client may not create the object. */
  readonly authorizeCreation: () => Promise<void>;
}

/**
 * Returns the object as stored, and whether it is new. Throws StatusError: 400 for an invalid configuration, 409 for
 * fields of other managers, and the errors of create and update.
 */
export function applyObject(
  store: ResourceStore,
  request: ApplyRequest,
  options: TrackedWriteOptions,
): Promise<Written> {
  const { namespace, name, subresource } = request;
  const change = (live: KubeObject): Promise<KubeObject> => applied(store, request, live, options);
  const update = { namespace, name, subresource, change, versionRequired: false, applied: request.config };
  return updateOrCreate(store, update, options, () => creationOf(store, request, options));
}

async function applied(
  { tracked }: ResourceStore,
  { config, subresource, force, decode }: ApplyRequest,
  live: KubeObject,
  { fieldManager }: TrackedWriteOptions,
): Promise<KubeObject> {
  const pause = slices();
  const now = timestamp();
  const merged = await inSlices(
    applySteps(tracked, { live, config, manager: fieldManager, subresource, force, now }),
  );
  await pause();
  const copy = copyJson(jsonOfObject(merged));
  await pause();
  const object = await decode(copy);
  await pause();
  redactLastApplied(tracked.type, object.metadata);
  return object;
}

async function creationOf(
  store: ResourceStore,
  request: ApplyRequest,
  options: TrackedWriteOptions,
): Promise<Creation> {
  const { definition, tracked } = store;
  if (request.subresource !== '') throw notFound(definition, request.name);
  const object = await applied(store, request, blankObject(tracked, apiVersionOf(definition)), options);
  const { uid = '' } = object.metadata;
  if (uid !== '') {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(definition, request.name, why);
  }
  checkIdentity(store, request, object);
  await request.authorizeCreation();
  const { resourceVersion = '' } = object.metadata;
  if (resourceVersion !== '') parseObjectVersion(resourceVersion);
  // A dry run returns the resourceVersion of the request.
  if (!options.dryRun) delete object.metadata.resourceVersion;
  return new Creation(store, request.namespace, object, { ...options, managedFieldsNeeded: true });
}
