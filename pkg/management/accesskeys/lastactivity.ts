/** The last use of access keys, written from memory to the record that servers share, and to the status. */
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { isKind, type KubeObject } from '../../../api/resource.js';
import { activityPause } from './keyend.js';
import { StatusError } from '../../apimachinery/errors.js';
import type { LastUsed } from './authentication/lastused.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import { inParallel } from '../../controllers/inparallel.js';
import { loopbackOptions } from '../../registry/loopback.js';
import { ACTIVITY_MANAGER } from './strategy.js';
import { useWrite } from './userecord.js';
import { timestamp } from '../../registry/object/metadata.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { updateObject } from '../../registry/generic/update.js';
import { MAX_COMMIT_WRITES, type Write } from '../../storage/interface.js';
import { removeOrphanedKeyRecords, type OrphanParts } from './orphanedkeyrecords.js';

/** How often used keys are checked. */
const CHECK_INTERVAL_MS = 5_000;
/** The least time between two writes of a key's record. */
const RECORD_MS = 60_000;
/** How often to look for what is left of deleted keys. */
const SWEEP_MS = 600_000;
/** The maximum of concurrent status writes. */
const PARALLEL = 8;

const OPTIONS = loopbackOptions(ACTIVITY_MANAGER);

export interface ActivityParts extends OrphanParts {
  readonly lastUsed: LastUsed;
}

/** Records when keys were used. Returns the function that stops it. */
export function recordLastActivity(
  parts: ActivityParts,
  failed: (error: unknown) => void,
): () => Promise<void> {
  const tell = activityRecorder(parts);
  let working = Promise.resolve();
  const every = (milliseconds: number, work: () => Promise<void>): NodeJS.Timeout =>
    setInterval(() => {
      working = working.then(work).catch(failed);
    }, milliseconds).unref();
  const sweep = async (): Promise<void> => {
    await forgetDeletedKeys(parts);
    await removeOrphanedKeyRecords(parts);
  };
  const timers = [every(CHECK_INTERVAL_MS, tell), every(SWEEP_MS, sweep)];
  return async () => {
    timers.forEach(clearInterval);
    await working;
  };
}

/** Returns a function that writes the uses since its last call. It rejects with StatusError, StorageError. */
export function activityRecorder({ store, lastUsed }: ActivityParts): () => Promise<void> {
  /** Uses that are not in the status yet, with their time. */
  const waiting = new Map<string, number>();
  return async () => {
    for (const [name, at] of lastUsed.take()) waiting.set(name, at);
    const records: Write[] = [];
    const due: [string, number][] = [];
    const maybeYield = slices();
    for (const [name, at] of waiting) {
      await maybeYield();
      const found = store.cache.latest().get(name)?.object();
      const key = found && isKind(OwnedAccessKey, found) ? found : undefined;
      if (key === undefined) waiting.delete(name);
      else if (isDue(key, at)) due.push([name, at]);
      if (key !== undefined && at - lastUsed.recorded(name) >= RECORD_MS) records.push(useWrite(name, at));
    }
    for (let from = 0; from < records.length; from += MAX_COMMIT_WRITES)
      await store.storage.commit(records.slice(from, from + MAX_COMMIT_WRITES));
    await inParallel(due, PARALLEL, async ([name, at]) => {
      await writeStatus(store, name, at);
      waiting.delete(name);
    });
  };
}

/** Of what is in memory. */
export async function forgetDeletedKeys({
  store,
  lastUsed,
}: Pick<ActivityParts, 'store' | 'lastUsed'>): Promise<void> {
  const maybeYield = slices();
  for (const name of lastUsed.names()) {
    await maybeYield();
    if (store.cache.latest().get(name) === undefined) lastUsed.forget(name);
  }
}

/** Whether a use at `at` (ms) must be written to the status. */
function isDue(key: OwnedAccessKey, at: number): boolean {
  const { lastActivity } = key.status ?? {};
  const recorded = lastActivity === undefined ? -Infinity : Date.parse(lastActivity);
  return at - recorded >= activityPause(key);
}

async function writeStatus(store: ResourceStore, name: string, at: number): Promise<void> {
  const change = (live: KubeObject): KubeObject => {
    const status = isKind(OwnedAccessKey, live) ? live.status : {};
    return structuredClone({ ...live, status: { ...status, lastActivity: timestamp(at) } });
  };
  const request = { namespace: '', name, subresource: 'status', change, versionRequired: false };
  try {
    await updateObject(store, request, OPTIONS);
  } catch (error) {
    // The key may be deleted by now.
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
