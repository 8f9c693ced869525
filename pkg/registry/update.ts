/** PUT and the non-apply patches: read, change, check, commit; again on conflict where the client set no version. */
import type { JsonValue, KubeObject, ObjectMeta } from '../../api/resource.js';
import { copyJson } from '../apimachinery/encoding/copyjson.js';
import type { FieldError } from '../apimachinery/errors.js';
import { StatusError, invalid, notFound, staleResourceVersion } from '../apimachinery/errors.js';
import { settleTimes } from '../apimachinery/managedfields/times.js';
import { checkGrowth } from '../apimachinery/encoding/valuecount.js';
import { dedupeOwnerReferences, validateMetadataUpdate } from '../apimachinery/validation/metadata.js';
import type { Entry } from '../cache/interface.js';
import type { StoredRecord } from '../storage/interface.js';
import { StorageError } from '../storage/interface.js';
import type { AdmissionAttributes, Admitted } from './admission.js';
import { admit, mutate } from './admission.js';
import type { Consent } from './consent.js';
import { GroundsLost, beginConsent, consentingTo } from './consent.js';
import { translate, type TrackedWriteOptions } from './create.js';
import { commitObject, tryEffects } from './effects.js';
import { isDue } from './graceful.js';
import { desiredStateDiffers, keepMetadata, timestamp } from './metadata.js';
import { settleVersion } from './ownwrites.js';
import type { PrivateChange } from './privatestate.js';
import { forgetKept, privateChange, readKept, recalled, shownBytes, takeSent } from './privatestate.js';
import { fitted } from './record.js';
import { checkIdentity, checkPreconditions } from './preconditions.js';
import type { ResourceStore, Stored } from './resourcestore.js';
import { entryOf, keptAs, readStored, storeKey } from './resourcestore.js';
import type { Requester } from './strategy.js';
import { trackChange } from './tracking.js';

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
  readonly change: (live: KubeObject) => KubeObject;
  /** A PUT must bring a resourceVersion where the kind asks for one; a patch need not. */
  readonly versionRequired: boolean;
  /** What an apply applies: it has settled managedFields itself, and is refused where they make the object too large. */
  readonly applied?: JsonValue;
}

/** How often an update that named no version meets another writer before it gives up with 409. */
const ATTEMPTS = 100;

/** Answers the object as stored. Throws StatusError: 400, 403, 404, 409, 413, 422, 500 ServerTimeout. */
export async function updateObject(
  store: ResourceStore,
  request: UpdateRequest,
  options: TrackedWriteOptions,
): Promise<Stored> {
  let live = cached(store, request);
  let certain = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      if (live === undefined) throw notFound(store.definition, request.name);
      const stored = await updateOnce(store, request, options, live);
      if (certain || stored.revision !== live.revision) return stored;
      // Nothing was committed that would have met a newer state than the cache's: ask the store.
      const newest = await readStored(store, request.namespace, request.name);
      if (newest?.revision === live.revision) return stored;
      [live, certain] = [newest, true];
    } catch (error) {
      ({ live, certain } = await afterFailure(store, request, error, certain));
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
  const previous = live.parse();
  const kept = store.strategy.privateState && (await readKept(store, request.name));
  const { applied } = request;
  const next = request.change(applied === undefined ? previous : recalled(store, previous, applied, kept));
  checkIdentity(store, request, next);
  checkGrowth(next, previous);
  await settleVersion(store, request, next, live);
  checkPreconditions(store, request, next, { uid: previous.metadata.uid, revision: live.revision });
  trackFields(store, request, next, recalled(store, previous, next, kept), options);
  const own = ownChange(store, request, next, kept, options.dryRun);
  const attributes = attributesOf(store, request, options, own.changes);
  prepare(store, request, next, previous, own, options);
  await mutate(store.admission, attributes, next, previous, options.warn);
  const duplicates = dedupeOwnerReferences(next.metadata, true);
  if (duplicates !== undefined) options.warn(duplicates);
  validate(store, next, previous, own.findings);
  const consent = beginConsent();
  const admitted = await admit(store.admission, consentingTo(attributes, consent, false), next, previous);
  for (const text of store.strategy.warnings?.(next, previous) ?? []) options.warn(text);
  const settled = settleTimes(previous, admitted);
  if (settled !== undefined) admitted.metadata.managedFields = settled;
  const { requester, dryRun } = options;
  return commitChange(store, request, admitted, live, { previous, own, kept, consent, requester, dryRun });
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
function trackFields(
  store: ResourceStore,
  request: UpdateRequest,
  next: KubeObject,
  previous: KubeObject,
  { warn, fieldManager }: TrackedWriteOptions,
): void {
  if (request.applied !== undefined) return;
  const duplicates = request.versionRequired ? dedupeOwnerReferences(next.metadata) : undefined;
  if (duplicates !== undefined) warn(duplicates);
  trackChange(store, previous, next, { subresource: request.subresource, fieldManager });
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

/** Keeps what this endpoint cannot change; counts the generation. */
function prepare(
  store: ResourceStore,
  request: UpdateRequest,
  next: KubeObject,
  previous: KubeObject,
  own: Pick<PrivateChange, 'changes'>,
  options: TrackedWriteOptions,
): void {
  keepMetadata(next.metadata, previous.metadata);
  const { strategy, definition } = store;
  if (request.subresource === 'status') {
    const status = next.status;
    const metadata = definition.builtIn ? next.metadata : statusMetadata(next, previous);
    delete metadata.resourceVersion;
    for (const member of Object.keys(next)) delete next[member];
    Object.assign(next, copyJson(previous), { metadata, status });
    return;
  }
  if (definition.subresources.some(({ name }) => name === 'status')) next.status = copyJson(previous.status);
  checkSchema(store, next, previous);
  const { requester } = options;
  strategy.prepareForUpdate?.(next, previous, {
    requester,
    subresource: request.subresource,
    now: timestamp(),
  });
  if (strategy.generation && (own.changes || desiredStateDiffers(next, previous))) {
    next.metadata.generation = (previous.metadata.generation ?? 0) + 1;
  }
}

/** All as before, but for who owns the status. */
function statusMetadata(next: KubeObject, previous: KubeObject): ObjectMeta {
  const { managedFields: _, ...metadata } = copyJson(previous.metadata);
  const { managedFields } = next.metadata;
  return managedFields === undefined ? metadata : { ...metadata, managedFields };
}

function validate(
  store: ResourceStore,
  next: KubeObject,
  previous: KubeObject,
  ofSent: readonly FieldError[],
): void {
  const { definition, schema, strategy } = store;
  const misfits = schema.check(next);
  const fits = misfits.length === 0;
  const errors: FieldError[] = [
    ...validateMetadataUpdate(next.metadata, previous.metadata, definition),
    ...misfits,
    ...(fits ? (strategy.validate?.(next) ?? []) : []),
    ...(fits ? (strategy.validateUpdate?.(next, previous) ?? []) : []),
    ...ofSent,
  ];
  if (errors.length > 0) throw invalid(keptAs(store), next.metadata.name ?? '', errors);
}

/** What strategies are given fits the schema. */
function checkSchema(store: ResourceStore, next: KubeObject, previous: KubeObject): void {
  const misfits = store.schema.check(next);
  if (misfits.length === 0) return;
  const metadata = validateMetadataUpdate(next.metadata, previous.metadata, store.definition);
  throw invalid(keptAs(store), next.metadata.name ?? '', [...metadata, ...misfits]);
}

interface ChangeOptions {
  readonly previous: KubeObject;
  readonly own: PrivateChange;
  readonly kept: StoredRecord | undefined;
  readonly consent: Consent;
  readonly requester: Requester;
  readonly dryRun: boolean;
}

async function commitChange(
  store: ResourceStore,
  request: UpdateRequest,
  next: Admitted,
  live: Entry,
  { previous, own, kept, consent, requester, dryRun }: ChangeOptions,
): Promise<Stored> {
  const canonical = fitted(store, next, request.applied !== undefined);
  const unchanged = store.codec.serve(canonical, live.revision);
  const asItWas = { revision: live.revision, bytes: unchanged };
  if (unchanged.equals(live.bytes)) return asItWas;
  const held = (next.metadata.finalizers ?? []).length > 0 || (store.strategy.holds?.(next) ?? false);
  const removed = isDue(next.metadata) && !held;
  const change = { next: removed ? undefined : next, previous, requester, now: timestamp(), dryRun };
  if (dryRun) {
    await tryEffects(store, change);
    return asItWas;
  }
  const key = storeKey(store, request.namespace, request.name);
  const ownWrites = removed ? forgetKept(store, kept) : own.writes;
  const write = removed ? { key } : { key, value: store.codec.seal(canonical) };
  const writes = [{ ...write, expect: live.revision }, ...ownWrites, ...consent.writes];
  const { revisions } = await consent.settle(commitObject(store, writes, consent.guards, change));
  const revision = revisions[0] as number;
  const shown = shownBytes(store, canonical, next, own.shown);
  return { revision, bytes: store.codec.serve(shown, removed ? live.revision : revision) };
}
