/** Moving an object to another namespace: it is gone there and here in one commit, at no moment both or neither. */
import type { KubeObject, OwnerReference, ResourceDefinition } from '../../../api/resource.js';
import { alreadyExists, conflict, notFound, quote } from '../../apimachinery/errors.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import type { Entry } from '../../cache/interface.js';
import type { StoredRecord } from '../../storage/interface.js';
import { admit } from '../admission.js';
import type { WriteContextOptions } from './create.js';
import { taken } from './creationresult.js';
import type { Change } from '../transaction/effects.js';
import type { LiveState, StepResult } from '../transaction/guaranteedupdate.js';
import { guaranteedUpdate } from '../transaction/guaranteedupdate.js';
import { resourceName } from '../keys.js';
import { beginMetadata, timestamp } from '../object/metadata.js';
import { fitted } from '../object/record.js';
import type { ResourceStore, Stored } from './resourcestore.js';
import { entryOf, storeKey } from './resourcestore.js';
import type { OwnEffects } from '../transaction/transaction.js';
import { effectsOf, transactionOf } from '../transaction/transaction.js';

/** An object that depends on another. */
export interface Dependent {
  readonly definition: ResourceDefinition;
  readonly name: string;
  /** Of its record. */
  readonly key: string;
}

export interface Move<T extends KubeObject = KubeObject> {
  readonly name: string;
  /** Namespaces. */
  readonly from: string;
  readonly to: string;
  /** Refuses by throwing. Asked of each state of the object that is met. */
  check(source: T): void;
  /** Says in the new object what moving it changes. */
  change(moved: KubeObject): void;
  /** What depends on the object in its namespace. */
  dependents(source: KubeObject): Iterable<Dependent>;
  /** Whether an owner is of a cluster-scoped kind, which owns in every namespace. */
  isEverywhere(owner: OwnerReference): boolean;
}

/**
 * Everything of the object goes along, but for uid and creation time, which are new. What its effects keep beside it
 * moves too. Rights are not asked for here; admission sees a delete, and a create that differs from the source.
 * Throws StatusError: 403 of admission, 404, 409 for a name that is taken, a dependent that cannot follow, or what
 * `check` refuses.
 */
export function moveObject(
  store: ResourceStore,
  move: Move,
  { requester, dryRun }: WriteContextOptions,
): Promise<Stored> {
  const { from: namespace, name } = move;
  const target = { operation: 'write', namespace, name, user: requester.name, queues: true } as const;
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
  const key = storeKey(store, move.to, move.name);
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
  const canonical = fitted(store, admitted, false);
  const arriving: Change = { next: admitted, previous: undefined, requester, now, dryRun };
  const taking = met.get(key) ?? (dryRun ? (await store.storage.get(key)).record : undefined);
  if (taking?.undecryptable !== undefined) throw alreadyExists(definition, move.name);
  if (taking !== undefined) throw taken(store, recordEntry(store, move, taking));
  if (dryRun) {
    await effectsOf(store, met, arriving);
    return { answer: () => ({ revision: 0, bytes: canonical }) };
  }
  const own = [
    { key: storeKey(store, move.from, move.name), expect: source.revision },
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
): Entry => entryOf(to, name, revision, codec.decode(value, revision));

function checkOwners(store: ResourceStore, move: Move, { metadata }: KubeObject): void {
  const owner = metadata.ownerReferences?.find((each) => !move.isEverywhere(each));
  if (owner === undefined) return;
  const why = `its owner, ${owner.kind} ${quote(owner.name)}, would stay behind`;
  throw conflict(store.definition, move.name, why);
}

/** What the object's own effects remove with it, and make anew, is no hindrance. */
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
    throw conflict(store.definition, move.name, `${what} depends on it and could not follow`);
  }
}

function movedObject(store: ResourceStore, move: Move, source: KubeObject, now: string): KubeObject {
  const moved = copyJson(source);
  beginMetadata(moved.metadata, now, store.strategy.generation);
  moved.metadata.namespace = move.to;
  move.change(moved);
  return moved;
}
