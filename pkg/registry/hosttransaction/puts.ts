/** Objects of the host that are written before a commit, and restored if it fails. */
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import { StorageError, type StoredRecord, type Write } from '../../storage/interface.js';
import type { FindHostKind, HostKind } from './kinds.js';
import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../../api/resource.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Annotation of an object of the host: identifies the last of several commits that write the same state. */
const WRITTEN = 'management.svc.example/written';

/** The same object with a change that gives it a new revision. */
function touched(value: Buffer): Buffer {
  const object = parseStored<KubeObject>(value);
  const annotations = { ...object.metadata.annotations, [WRITTEN]: randomUUID() };
  return encodeObject({ ...object, metadata: { ...object.metadata, annotations } });
}

export interface HostWrite<W extends Write = Write> {
  readonly kind: HostKind;
  readonly write: W;
}

/** A write that is no delete. */
export type Put = Write & { readonly value: Buffer };
export type HostPut = HostWrite<Put>;

export const isPut = (write: Write): write is Put => write.value !== undefined;

/** A finished write, with what is needed to undo it. */
export interface DonePut extends HostPut {
  readonly revision: number;
  /** Undefined if the object was created. */
  readonly previous: StoredRecord | undefined;
  /** The value with owner references, which is written later. */
  readonly owned: Buffer | undefined;
}

/** Groups writes by kind, in the order in which kinds first occur: a binding follows its namespace, or its role. */
export function stagesOf(find: FindHostKind, writes: readonly Put[]): HostPut[][] {
  const stages = new Map<HostKind, HostPut[]>();
  for (const write of writes) {
    const kind = find(write.key);
    if (kind === undefined) continue;
    const stage = stages.get(kind);
    if (stage === undefined) stages.set(kind, [{ kind, write }]);
    else stage.push({ kind, write });
  }
  return [...stages.values()];
}

type OwnersLater = false | { readonly annotation: string | undefined };

/**
 * Writes all stages in order, each one concurrently, and adds finished writes to `done`. Rejects with the first
 * failure.
 * @param later whether owner references, and the annotation that owners exist, wait for {@link nameOwners}
 */
export async function putAll(
  stages: readonly (readonly HostPut[])[],
  done: DonePut[],
  later: OwnersLater,
): Promise<void> {
  for (const stage of stages) {
    const settled = await Promise.allSettled(stage.map(async (one) => done.push(await put(one, later))));
    const failed = settled.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

async function put({ kind, write }: HostPut, later: OwnersLater): Promise<DonePut> {
  const whole = write.value;
  const unowned = later === false ? undefined : withoutOwners(whole, later.annotation);
  const previous = write.expect === 'absent' ? undefined : await recordBefore(kind, write);
  const value = unowned ?? whole;
  const revision = await putOne(kind, { ...write, value });
  const owned = unowned && (previous === undefined ? asUpdate(whole) : whole);
  const done = { kind, write, previous, owned };
  if (revision !== previous?.revision) return { ...done, revision };
  // A concurrent commit wrote the same. The new revision keeps it from undoing this write if it fails.
  return { ...done, revision: await putOne(kind, { ...write, value: touched(value) }) };
}

/** Returns the revision at the host. */
async function putOne({ storage }: HostKind, write: Write): Promise<number> {
  const { revisions } = await storage.commit([write]);
  return revisions[0]!;
}

/** Adds the owner references, and returns the updated write. After a conflict, the other writer adds them. */
export async function nameOwners(
  done: DonePut,
  failed: (key: string, error: unknown) => void,
): Promise<DonePut> {
  const { kind, write, owned, revision } = done;
  if (owned === undefined) return done;
  try {
    return { ...done, revision: await putOne(kind, { key: write.key, value: owned, expect: revision }) };
  } catch (error) {
    const { code } = error instanceof StorageError ? error.failure : {};
    if (code !== 'conflict' && code !== 'not found') failed(write.key, error);
    return done;
  }
}

/** The record that a write replaces. */
async function recordBefore(
  { storage, cache, prefix }: HostKind,
  { key, expect }: Write,
): Promise<StoredRecord | undefined> {
  const cached = cache.latest().get(key.slice(prefix.length));
  if (cached === undefined || cached.revision !== expect) return (await storage.get(key)).record;
  return { key, revision: cached.revision, value: encodeObject(cached.object()) };
}

/** Undoes writes, unless others changed the objects since. `failed` gets the objects that remain. */
export async function undoAll(
  done: readonly DonePut[],
  failed: (key: string, error: unknown) => void,
): Promise<void> {
  for (const { kind, write, revision, previous } of [...done].reverse()) {
    const { key } = write;
    const undo = previous === undefined ? { key } : { key, value: previous.value };
    try {
      if (previous?.revision === revision) continue;
      await putOne(kind, { ...undo, expect: revision });
    } catch (error) {
      failed(key, error);
    }
  }
}

/**
 * The value without owner references and the `annotation` that owners exist. Undefined if it has neither. An object
 * that is created in the same transaction as its owner gets its references only after the owner exists: the host's
 * garbage collector looks as soon as it sees one, and remembers missing owners.
 */
function withoutOwners(value: Buffer, annotation = ''): Buffer | undefined {
  const object = parseStored<KubeObject>(value);
  const { ownerReferences, ...metadata } = object.metadata;
  const { [annotation]: held, ...annotations } = metadata.annotations ?? {};
  if (ownerReferences === undefined && held === undefined) return undefined;
  return encodeObject({ ...object, metadata: held === undefined ? metadata : { ...metadata, annotations } });
}

/** The value as an update of the created object, whose uid is the host's. */
function asUpdate(value: Buffer): Buffer {
  const object = parseStored<KubeObject>(value);
  const { uid: _uid, creationTimestamp: _time, ...metadata } = object.metadata;
  return encodeObject({ ...object, metadata });
}
