/** Moves an object to another namespace in one commit. */
import type { KubeObject, OwnerReference, ResourceDefinition } from '../../../api/resource.js';
import { alreadyExists, conflict, notFound, quote } from '../../apimachinery/errors.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import type { Entry } from '../../cache/interface.js';
import type { StoredRecord } from '../../storage/interface.js';
import { admit } from '../admission.js';
import type { WriteContextOptions } from './create.js';
import { taken } from './creationresult.js';
import type { Change } from '../transaction/effects.js';
import { guaranteedUpdate, type LiveState, type StepResult } from '../transaction/guaranteedupdate.js';
import { resourceName } from '../keys.js';
import { beginMetadata, timestamp } from '../object/metadata.js';
import { fitted } from '../object/record.js';
import { entryOf, storeKey, type ResourceStore, type Stored } from '../resourcestore.js';
import { effectsOf, transactionOf, type OwnEffects } from '../transaction/transaction.js';

/** An object that depends on another. */
export interface Dependent {
  readonly definition: ResourceDefinition;
  readonly name: string;
  /** The key of its record. */
  readonly key: string;
}

export interface Move<T extends KubeObject = KubeObject> {
  readonly name: string;
  /** Namespaces. */
  readonly from: string;
  readonly to: string;
  /** Throws to refuse the move. Called for each state of the object that an attempt reads. */
  check(source: T): void;
  /** Adapts the new object to the move. */
  change(moved: KubeObject): void;
  /** Objects of the namespace that depend on the object. */
  dependents(source: KubeObject): Iterable<Dependent>;
  /** Whether an owner is of a cluster-scoped kind, and so owns objects in every namespace. */
  isEverywhere(owner: OwnerReference): boolean;
}

/**
 * Moves the whole object, except that uid and creation time are new. Its effects move too. The caller authorizes the
 * move; admission sees a delete, and a create whose previous object is the source. Throws StatusError: 403 of
 * admission, 404, 409 for a taken name or a dependent that cannot move, or the errors of `check`.
 */
export function moveObject(
  store: ResourceStore,
  move: Move,
  { requester, dryRun }: WriteContextOptions,
): Promise<Stored> {
  const { from: namespace, name } = move;
  const target = {
    operation: 'write',
    namespace,
    name,
    user: requester.name,
    writer: requester,
    queues: true,
  } as const;
  return guaranteedUpdate(store, target, (state) => moveStep(store, move, { requester, dryRun }, state));
}

async function moveStep(
  store: ResourceStore,
  move: Move,
  { requester, dryRun }: Pick<WriteContextOptions, 'requester' | 'dryRun'>,
  { live: source, met, bypassCache }: LiveState,
): Promise<StepResult<Stored>> {
  const { definition, admission, codec } = store;
  if (source === undefined) throw notFound(definition, move.name);
  const key = storeKey(store, { namespace: move.to, name: move.name });
  const previous = source.object();
  const now = timestamp();
  move.check(previous);
  checkOwners(store, move, previous);
  const leaving: Change = { next: undefined, previous, requester, now, dryRun };
  checkDependents(store, move, await effectsOf(store, met, leaving), previous);
  const of = { definition, subresource: '', name: move.name, requester, dryRun, bypassCache };
  const leave = { ...of, operation: 'DELETE', namespace: move.from } as const;
  const arrive = { ...of, operation: 'CREATE', namespace: move.to } as const;
  const before = await admission.validate(leave, undefined, previous);
  const moved = movedObject(store, move, previous, now);
  const { admitted, required } = await admit(admission, arrive, moved, previous);
  const canonical = await fitted(store, admitted, false);
  const arriving: Change = { next: admitted, previous: undefined, requester, now, dryRun };
  const taking = met.get(key) ?? (dryRun ? (await store.storage.get(key)).record : undefined);
  if (taking?.undecryptable !== undefined) throw alreadyExists(definition, move.name);
  if (taking !== undefined) throw taken(store, recordEntry(store, move, taking));
  if (dryRun) {
    await effectsOf(store, met, arriving);
    return { answer: () => ({ revision: 0, bytes: canonical }) };
  }
  const own = [
    { key: storeKey(store, { namespace: move.from, name: move.name }), expect: source.revision },
    { key, value: codec.seal(canonical), expect: 'absent' as const },
  ] as const;
  const effects = await effectsOf(store, met, leaving, arriving);
  return {
    transaction: transactionOf(own, [...before, ...required], effects),
    answer: ([, revision = 0]) => ({ revision, bytes: codec.serve(canonical, revision) }),
  };
}

const recordEntry = (
  { codec }: ResourceStore,
  { to, name }: Move,
  { value, revision }: StoredRecord,
): Entry => entryOf({ namespace: to, name }, revision, codec.decode(value, revision));

function checkOwners(store: ResourceStore, move: Move, { metadata }: KubeObject): void {
  const owner = metadata.ownerReferences?.find((each) => !move.isEverywhere(each));
  if (owner === undefined) return;
  const why = `its owner, ${owner.kind} ${quote(owner.name)}, would stay behind`;
  throw conflict(store.definition, move.name, why);
}

/** Throws StatusError 409 for a dependent that the object's effects do not move. */
function checkDependents(
  store: ResourceStore,
  move: Move,
  { required }: OwnEffects,
  source: KubeObject,
): void {
  const removed = (required?.writes ?? []).filter(({ value }) => value === undefined);
  const follows = new Set(removed.map(({ key }) => key));
  for (const { definition, name, key } of move.dependents(source)) {
    if (follows.has(key)) continue;
    const what = `${resourceName(definition).replace(/^core\//, '')} ${quote(name)}`;
    throw conflict(store.definition, move.name, `${what} depends on it and cannot be moved`);
  }
}

function movedObject(store: ResourceStore, move: Move, source: KubeObject, now: string): KubeObject {
  const moved = copyJson(source);
  beginMetadata(moved.metadata, now, store.strategy.generation);
  moved.metadata.namespace = move.to;
  move.change(moved);
  return moved;
}
