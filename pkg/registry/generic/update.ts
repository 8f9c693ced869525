/** PUT and the non-apply patches: read, change, check, commit; again on conflict where the client set no version. */
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { checkGrowth } from '../../apimachinery/encoding/valuecount.js';
import type { FieldError } from '../../apimachinery/errors.js';
import { StatusError, notFound, staleResourceVersion } from '../../apimachinery/errors.js';
import { settleTimes } from '../../apimachinery/managedfields/times.js';
import { slices } from '../../apimachinery/slices.js';
import { dedupeOwnerReferences } from '../../apimachinery/validation/metadata.js';
import type { Entry } from '../../cache/interface.js';
import type { StoredRecord } from '../../storage/interface.js';
import { StorageError } from '../../storage/interface.js';
import type { AdmissionAttributes } from '../admission.js';
import { admit, mutate } from '../admission.js';
import { commitUpdate } from './commitupdate.js';
import { Contention } from './contention.js';
import { GroundsLost, beginConsent, consentingTo } from './preconditionset.js';
import { translate, type TrackedWriteOptions } from './create.js';
import { settleVersion } from '../object/serverwrites.js';
import { checkIdentity, checkPreconditions } from './preconditions.js';
import { prepareUpdate, validateUpdate } from './prepareupdate.js';
import type { PrivateChange } from '../object/writeonlyfields.js';
import { privateChange, readKept, recalled, takeSent } from '../object/writeonlyfields.js';
import type { ResourceStore, Stored } from './resourcestore.js';
import { entryOf, readStored, storeKey } from './resourcestore.js';
import { trackChange } from '../object/fieldmanager.js';

/** One update of one object. */
export interface UpdateRequest {
  readonly namespace: string;
  readonly name: string;
  /** `''`, or `status`. */
  readonly subresource: string;
  /**
   * The object that the client wants, made of the one that there is; fresh each time, never a part of `live`. Called
   * again when another writer came first.
   */
  readonly change: (live: KubeObject) => KubeObject | Promise<KubeObject>;
  /** A PUT must bring a resourceVersion where the kind asks for one; a patch need not. */
  readonly versionRequired: boolean;
  /** What an apply applies: it has settled managedFields itself, and is refused where they make the object too large. */
  readonly applied?: JsonValue;
  /** Whether the client says which version it changes. */
  readonly versioned?: boolean;
}

/** How often an update that named no version meets another writer before it gives up with 409. */
const ATTEMPTS = 100;

/** Answers the object as stored. Throws StatusError: 400, 403, 404, 409, 413, 422, 500 ServerTimeout. */
export async function updateObject(
  store: ResourceStore,
  request: UpdateRequest,
  options: TrackedWriteOptions,
): Promise<Stored> {
  const { namespace, name, versioned = false } = request;
  const user = options.requester.name;
  const contention = new Contention(store, { namespace, name, user, queues: !versioned });
  try {
    return await updateInTurn(store, request, options, contention);
  } finally {
    contention.end();
  }
}

async function updateInTurn(
  store: ResourceStore,
  request: UpdateRequest,
  options: TrackedWriteOptions,
  contention: Contention,
): Promise<Stored> {
  if (contention.mustWait) await contention.enter();
  let live = contention.newer(cached(store, request));
  let certain = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      if (live === undefined) throw notFound(store.definition, request.name);
      const stored = await updateOnce(store, request, options, live);
      if (certain || stored.revision !== live.revision) {
        contention.end(live, stored);
        return stored;
      }
      // Nothing was committed that would have met a newer state than the cache's: ask the store.
      const newest = await readStored(store, request.namespace, request.name);
      if (newest?.revision === live.revision) return stored;
      [live, certain] = [newest, true];
    } catch (error) {
      const failed = live;
      ({ live, certain } = await afterFailure(store, request, error, certain));
      if (live?.revision === failed?.revision) continue;
      await contention.lost();
      live = contention.newer(live);
    }
  }
  throw staleResourceVersion(store.definition, request.name);
}

function cached(store: ResourceStore, { namespace, name }: UpdateRequest): Entry | undefined {
  return store.cache.latest().get(store.definition.namespaced ? `${namespace}/${name}` : name);
}

/**
 * What to try next, or throws. A refusal that rests on the cache is asked again of the store; a conflict brings the
 * newer record with it.
 */
async function afterFailure(
  store: ResourceStore,
  request: UpdateRequest,
  error: unknown,
  certain: boolean,
): Promise<{ live: Entry | undefined; certain: boolean }> {
  const key = storeKey(store, request.namespace, request.name);
  if (error instanceof StorageError && 'key' in error.failure && error.failure.key === key) {
    if (error.failure.code === 'not found') return { live: undefined, certain: true };
    if (error.failure.code === 'conflict') {
      const { value, revision } = error.failure.current;
      const bytes = store.codec.decode(value, revision);
      return { live: entryOf(request.namespace, request.name, revision, bytes), certain: true };
    }
  }
  const refused = error instanceof StatusError && !certain && [404, 409, 422].includes(error.code);
  if (refused || error instanceof GroundsLost)
    return { live: await readStored(store, request.namespace, request.name), certain: true };
  throw translate(store, { kind: '', apiVersion: '', metadata: { name: request.name } }, error, 'update');
}

async function updateOnce(
  store: ResourceStore,
  request: UpdateRequest,
  options: TrackedWriteOptions,
  live: Entry,
): Promise<Stored> {
  const pause = slices();
  const previous = live.parse();
  const kept = store.strategy.privateState && (await readKept(store, request.name));
  const { applied } = request;
  await pause();
  const next = await request.change(
    applied === undefined ? previous : recalled(store, previous, applied, kept),
  );
  await pause();
  checkIdentity(store, request, next);
  checkGrowth(next, previous);
  await settleVersion(store, request, next, live);
  checkPreconditions(store, request, next, { uid: previous.metadata.uid, revision: live.revision });
  await trackFields(store, request, next, recalled(store, previous, next, kept), options);
  await pause();
  const own = ownChange(store, request, next, kept, options.dryRun);
  const attributes = attributesOf(store, request, options, own.changes);
  prepareUpdate(store, request.subresource, next, previous, own, options);
  await pause();
  await mutate(store.admission, attributes, next, previous, options.warn);
  const duplicates = dedupeOwnerReferences(next.metadata, true);
  if (duplicates !== undefined) options.warn(duplicates);
  await pause();
  validateUpdate(store, next, previous, own.findings);
  await pause();
  const consent = beginConsent();
  const admitted = await admit(store.admission, consentingTo(attributes, consent, false), next, previous);
  for (const text of store.strategy.warnings?.(next, previous) ?? []) options.warn(text);
  const settled = settleTimes(previous, admitted);
  if (settled !== undefined) admitted.metadata.managedFields = settled;
  const { requester, dryRun } = options;
  const change = { previous, own, kept, consent, requester, dryRun, applied: applied !== undefined };
  await pause();
  return commitUpdate(store, admitted, live, change);
}

type OwnChange = PrivateChange & { readonly findings: readonly FieldError[] };

/** Takes what is only ever written out of `next`; it counts in writes of the object itself. */
function ownChange(
  store: ResourceStore,
  { name, subresource }: UpdateRequest,
  next: KubeObject,
  kept: StoredRecord | undefined,
  dryRun: boolean,
): OwnChange {
  const taken = takeSent(store, next);
  const sent = subresource === '' ? taken : {};
  const change = privateChange(store, { name, sent, kept, isNew: false, dryRun });
  const { writes, changes, shown } = change;
  return { writes, changes, shown, findings: store.strategy.privateState?.validate(sent) ?? [] };
}

/** As the client wants the object, before the server fills in anything: what the server fills in has no owner. */
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
  changesPrivateState: boolean,
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
    changesPrivateState,
    warn,
  };
}
