/** Moving an object to another namespace: it is gone there and here in one commit, at no moment both or neither. */
import type { KubeObject, OwnerReference, ResourceDefinition } from '../../../api/resource.js';
import { conflict, notFound, quote, staleResourceVersion } from '../../apimachinery/errors.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import type { Entry } from '../../cache/interface.js';
import { StorageError } from '../../storage/interface.js';
import type { AdmissionAttributes } from '../admission.js';
import { admit } from '../admission.js';
import { GroundsLost, beginConsent, consentingTo } from './preconditionset.js';
import type { WriteContextOptions } from './create.js';
import { translate } from './create.js';
import type { Change } from './effects.js';
import { commitObject, tryEffects } from './effects.js';
import { taken } from './insert.js';
import { resourceName } from '../keys.js';
import { beginMetadata, timestamp } from '../object/metadata.js';
import { fitted } from '../object/record.js';
import type { ResourceStore, Stored } from './resourcestore.js';
import { readStored, storeKey } from './resourcestore.js';

const ATTEMPTS = 100;
/** Where another writer came first to what the move rests on. */
const LOST: readonly string[] = ['conflict', 'exists', 'not found'];

/** An object that depends on another. */
export interface Dependent {
  readonly definition: ResourceDefinition;
  readonly name: string;
  /** Of its record. */
  readonly key: string;
}

export interface Move {
  readonly name: string;
  /** Namespaces. */
  readonly from: string;
  readonly to: string;
  /** Refuses by throwing. Asked of each state of the object that is met. */
  check(source: KubeObject): void;
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
export async function moveObject(
  store: ResourceStore,
  move: Move,
  options: WriteContextOptions,
): Promise<Stored> {
  const { definition } = store;
  let source = await readStored(store, move.from, move.name);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (source === undefined) throw notFound(definition, move.name);
    try {
      return await moveOnce(store, move, source, { options, afresh: attempt > 1 });
    } catch (error) {
      if (!(error instanceof GroundsLost)) checkLost(store, move, source, error);
      source = await readStored(store, move.from, move.name);
    }
  }
  throw staleResourceVersion(definition, move.name);
}

/** Throws what ends the move, in the words of the API. */
function checkLost(store: ResourceStore, move: Move, source: Entry, error: unknown): void {
  const { failure } = error instanceof StorageError ? error : {};
  if (failure?.code === 'exists' && failure.key === storeKey(store, move.to, move.name))
    throw taken(store, move.name, failure.current.value);
  if (failure === undefined || !LOST.includes(failure.code))
    throw translate(store, { ...source.object() }, error, 'create');
}

async function moveOnce(
  store: ResourceStore,
  move: Move,
  source: Entry,
  { options, afresh }: { readonly options: WriteContextOptions; readonly afresh: boolean },
): Promise<Stored> {
  const previous = source.object();
  const { requester, dryRun } = options;
  const now = timestamp();
  move.check(previous);
  checkOwners(store, move, previous);
  const leaving: Change = { next: undefined, previous, requester, now, dryRun };
  await checkDependents(store, move, leaving, previous);
  const consent = beginConsent();
  const { definition, admission } = store;
  const asked = (operation: 'DELETE' | 'CREATE', namespace: string): AdmissionAttributes => {
    const of = { definition, operation, subresource: '', namespace, name: move.name, requester, dryRun };
    return consentingTo(of, consent, afresh);
  };
  await admission.validate(asked('DELETE', move.from), undefined, previous);
  const moved = movedObject(store, move, previous, now);
  const admitted = await admit(admission, asked('CREATE', move.to), moved, previous);
  const canonical = fitted(store, admitted, false);
  const arriving: Change = { next: admitted, previous: undefined, requester, now, dryRun };
  const key = storeKey(store, move.to, move.name);
  if (dryRun) return tryMove(store, key, canonical, arriving);
  const writes = [
    { key: storeKey(store, move.from, move.name), expect: source.revision },
    { key, value: store.codec.seal(canonical), expect: 'absent' as const },
    ...consent.writes,
  ];
  const commit = commitObject(store, writes, consent.guards, leaving, arriving);
  const { revisions } = await consent.settle(commit);
  const revision = revisions[1] as number;
  return { revision, bytes: store.codec.serve(canonical, revision) };
}

function checkOwners(store: ResourceStore, move: Move, { metadata }: KubeObject): void {
  const owner = metadata.ownerReferences?.find((each) => !move.isEverywhere(each));
  if (owner === undefined) return;
  const why = `its owner, ${owner.kind} ${quote(owner.name)}, would stay behind`;
  throw conflict(store.definition, move.name, why);
}

/** What the object's own effects remove with it, and make anew, is no hindrance. */
async function checkDependents(
  store: ResourceStore,
  move: Move,
  leaving: Change,
  source: KubeObject,
): Promise<void> {
  const { writes } = await tryEffects(store, leaving);
  const follows = new Set(writes.filter(({ value }) => value === undefined).map(({ key }) => key));
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

async function tryMove(
  store: ResourceStore,
  key: string,
  canonical: Buffer,
  arriving: Change,
): Promise<Stored> {
  await tryEffects(store, arriving);
  const { record } = await store.storage.get(key);
  if (record !== undefined) throw taken(store, arriving.next?.metadata.name ?? '', record.value);
  return { revision: 0, bytes: canonical };
}
