/** Objects of the host that are written before a commit, and put back where it fails. */
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import type { StoredRecord, Write } from '../../storage/interface.js';
import { StorageError } from '../../storage/interface.js';
import type { FindHostKind, HostKind } from './kinds.js';
import { asUpdate, withoutOwners } from './owners.js';
import { touched } from './touched.js';

export interface HostWrite<W extends Write = Write> {
  readonly kind: HostKind;
  readonly write: W;
}

/** A write that leaves an object, and not a removal. */
export type Put = Write & { readonly value: Buffer };
export type HostPut = HostWrite<Put>;

export const isPut = (write: Write): write is Put => write.value !== undefined;

/** What was done, so that it can be undone. */
export interface DonePut extends HostPut {
  readonly revision: number;
  /** Undefined: it was created. */
  readonly previous: StoredRecord | undefined;
  /** What is still to be written: the same, with its owners. */
  readonly owned: Buffer | undefined;
}

/** Writes of one kind after the other, in the order in which kinds first occur: a binding follows its role. */
export function stagesOf<W extends Write>(find: FindHostKind, writes: readonly W[]): HostWrite<W>[][] {
  const stages = new Map<HostKind, HostWrite<W>[]>();
  for (const write of writes) {
    const kind = find(write.key);
    if (kind === undefined) continue;
    const stage = stages.get(kind);
    if (stage === undefined) stages.set(kind, [{ kind, write }]);
    else stage.push({ kind, write });
  }
  return [...stages.values()];
}

/**
 * All of them, those of a stage at the same time; `done` gets each that is there. Rejects with the first failure.
 * @param ownersLater leaves out owners, for {@link nameOwners}
 */
export async function putAll(
  stages: readonly (readonly HostPut[])[],
  done: DonePut[],
  ownersLater: boolean,
): Promise<void> {
  for (const stage of stages) {
    const settled = await Promise.allSettled(
      stage.map(async (one) => done.push(await put(one, ownersLater))),
    );
    const failed = settled.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

async function put({ kind, write }: HostPut, ownersLater: boolean): Promise<DonePut> {
  const whole = write.value;
  const unowned = ownersLater ? withoutOwners(whole) : undefined;
  const previous = write.expect === 'absent' ? undefined : await recordBefore(kind, write);
  const value = unowned ?? whole;
  const revision = await putOne(kind, { ...write, value });
  const owned = unowned && (previous === undefined ? asUpdate(whole) : whole);
  const done = { kind, write, previous, owned };
  if (revision !== previous?.revision) return { ...done, revision };
  // Another commit has just made it so: when that one fails, it must find that this one needs it.
  return { ...done, revision: await putOne(kind, { ...write, value: touched(value) }) };
}

/** Answers the revision at the host. */
export async function putOne({ storage }: HostKind, write: Write): Promise<number> {
  const { revisions } = await storage.commit([write]);
  return revisions[0]!;
}

/** Answers the put as it is then. Who writes in between sees to the owners too. */
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

/** What is there in the place of a write. */
export async function recordBefore(
  { storage, cache, prefix }: HostKind,
  { key, expect }: Write,
): Promise<StoredRecord | undefined> {
  const cached = cache.latest().get(key.slice(prefix.length));
  if (cached === undefined || cached.revision !== expect) return (await storage.get(key)).record;
  return { key, revision: cached.revision, value: encodeObject(cached.object()) };
}

/** As far as nobody has changed it since. `failed` is told of what stays. */
export async function undoAll(
  done: readonly DonePut[],
  failed: (key: string, error: unknown) => void,
): Promise<void> {
  /** Of what was put twice, where the second is undone. */
  const undone = new Map<string, number>();
  for (const { kind, write, revision, previous } of [...done].reverse()) {
    const { key } = write;
    const undo = previous === undefined ? { key } : { key, value: previous.value };
    try {
      if (previous?.revision === revision) continue;
      undone.set(key, await putOne(kind, { ...undo, expect: undone.get(key) ?? revision }));
    } catch (error) {
      failed(key, error);
    }
  }
}
