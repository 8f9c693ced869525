/**
 * PUT and PATCH of an existing object. The stages are in the order of `k8s.io/apiserver` (`Update` of the generic
 * store, with the transformers of its handlers, and `BeforeUpdate`):
 *
 * 1. build the requested object and apply defaults; check that it is the addressed one (name, namespace, uid);
 * 2. compute managedFields from that object and the live one; later changes have no manager. An apply brings them from
 *    its merge. Mutating admission cannot break them (`mutate`), and new timestamps alone are no change (`settleTimes`);
 * 3. extract write-only fields: admission never sees a key;
 * 4. run mutating admission. It sees the request, not the result: fields that this endpoint does not write are still
 *    the client's, and omitted fields are not filled in. A plugin that decides by these must validate instead;
 * 5. check the resourceVersion; restore what this endpoint cannot change; run the strategy's prepareForUpdate;
 * 6. validate by schema and strategy;
 * 7. run validating admission, then commit.
 */
import type { KubeObject } from '../../../api/resource.js';
import { checkGrowth } from '../../apimachinery/encoding/valuecount.js';
import { notFound, type FieldError } from '../../apimachinery/errors.js';
import { settleTimes } from '../../apimachinery/managedfields/times.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import { dedupeOwnerReferences } from '../../apimachinery/validation/metadata.js';
import type { Entry } from '../../cache/interface.js';
import type { StoredRecord } from '../../storage/interface.js';
import { admit, mutate, type AdmissionAttributes } from '../admission.js';
import type { TrackedWriteOptions } from './create.js';
import {
  answeredWith,
  guaranteedUpdate,
  type LiveState,
  type StepResult,
  type WriteTarget,
} from '../transaction/guaranteedupdate.js';
import { settleVersion } from '../object/serverwrites.js';
import { checkIdentity, checkUid, checkVersion } from './preconditions.js';
import { checkOutline, prepareUpdate, validateUpdate } from './prepareupdate.js';
import type { PrivateChange } from '../object/interface.js';
import {
  privateChange,
  readPrivateRecord,
  withStoredMembers,
  takeWriteOnlyFields,
} from '../object/writeonlyfields.js';
import type { ResourceStore, Stored } from '../resourcestore.js';
import { trackChange } from '../object/fieldmanager.js';
import { updateResult } from './updateresult.js';
import type { UpdateRequest } from '../object/updaterequest.js';

/** Returns the object as stored. Throws StatusError: 400, 403, 404, 409, 413, 422, 500 ServerTimeout. */
export function updateObject(
  store: ResourceStore,
  request: UpdateRequest,
  options: TrackedWriteOptions,
): Promise<Stored> {
  return guaranteedUpdate(store, updateTarget(request, options), ({ live, ...state }) => {
    if (live === undefined) throw notFound(store.definition, request.name);
    return updateStep(store, request, options, live, state);
  });
}

export const updateTarget = (
  { namespace, name, versioned = false }: Pick<UpdateRequest, 'namespace' | 'name' | 'versioned'>,
  { requester }: Pick<TrackedWriteOptions, 'requester'>,
): WriteTarget => ({
  operation: 'update',
  namespace,
  name,
  user: requester.name,
  writer: requester,
  queues: !versioned,
});

/** The step that updates an existing object. */
export async function updateStep(
  store: ResourceStore,
  request: UpdateRequest,
  options: TrackedWriteOptions,
  live: Entry,
  state: Omit<LiveState, 'live'>,
): Promise<StepResult<Stored>> {
  const pause = slices();
  const previous = live.parse();
  const privateRecord = store.strategy.writeOnlyFields && (await readPrivateRecord(store, request.name));
  const { applied } = request;
  await pause();
  const next = await request.change(
    applied === undefined ? previous : withStoredMembers(store, previous, applied, privateRecord),
  );
  await pause();
  checkIdentity(store, request, next);
  checkUid(store, request, next, previous.metadata.uid);
  checkGrowth(next, previous);
  await trackFields(store, request, next, withStoredMembers(store, previous, next, privateRecord), options);
  await pause();
  const own = ownChange(store, request, next, privateRecord, options.dryRun);
  const warnings: string[] = [];
  const later = { ...options, warn: (text: string) => void warnings.push(text) };
  const attributes = attributesOf(store, request, later, own.changes, state.bypassCache);
  checkOutline(store, request.subresource, next, previous);
  await mutate(store.admission, attributes, next, previous, options.warn);
  const duplicates = dedupeOwnerReferences(next.metadata, true);
  if (duplicates !== undefined) options.warn(duplicates);
  await pause();
  await settleVersion(store, request, next, live);
  checkVersion(store, request, next, live.revision);
  const { requester, dryRun } = options;
  prepareUpdate(store, next, previous, { subresource: request.subresource, own, requester });
  await pause();
  validateUpdate(store, next, previous, own.findings);
  warnings.push(...(store.strategy.warnings?.(next, previous) ?? []));
  const settled = settleTimes(previous, next);
  if (settled !== undefined) next.metadata.managedFields = settled;
  await pause();
  const { admitted, required } = await admit(store.admission, attributes, next, previous);
  const change = {
    previous,
    own,
    privateRecord,
    required,
    requester,
    dryRun,
    applied: applied !== undefined,
  };
  await pause();
  return answeredWith(await updateResult(store, admitted, live, change, state.met), warnings, options.warn);
}

type OwnChange = PrivateChange & { readonly findings: readonly FieldError[] };

/** Extracts write-only fields from `next`; they only count in writes of the object itself. */
function ownChange(
  store: ResourceStore,
  { name, subresource }: UpdateRequest,
  next: KubeObject,
  privateRecord: StoredRecord | undefined,
  dryRun: boolean,
): OwnChange {
  const taken = takeWriteOnlyFields(store, next);
  const sent = subresource === '' ? taken : {};
  const change = privateChange(store, { name, sent, privateRecord, isNew: false, dryRun });
  const { writes, changes, shown } = change;
  return { writes, changes, shown, findings: store.strategy.writeOnlyFields?.validate(sent) ?? [] };
}

/** Tracks the client's changes only: fields that the server fills in later have no manager. */
async function trackFields(
  store: ResourceStore,
  request: UpdateRequest,
  next: KubeObject,
  previous: KubeObject,
  { warn, fieldManager }: TrackedWriteOptions,
): Promise<void> {
  if (request.applied !== undefined) return;
  const duplicates = request.versionRequired ? dedupeOwnerReferences(next.metadata) : undefined;
  if (duplicates !== undefined) warn(duplicates);
  await trackChange(store, previous, next, { subresource: request.subresource, fieldManager });
}

function attributesOf(
  store: ResourceStore,
  request: UpdateRequest,
  options: TrackedWriteOptions,
  changesWriteOnlyFields: boolean,
  bypassCache: boolean,
): AdmissionAttributes {
  const { namespace, name, subresource } = request;
  const { requester, dryRun, warn } = options;
  return {
    definition: store.definition,
    operation: 'UPDATE',
    subresource,
    namespace,
    name,
    requester,
    dryRun,
    changesWriteOnlyFields,
    bypassCache,
    warn,
  };
}
