/** Fills an epoch from the store. */
import { nextTurn } from '../../apimachinery/eventloop/turns.js';
import { REGISTRY_PREFIX, type ResourceSource } from '../interface.js';
import { Epoch, type EpochLimits } from './epoch.js';
import { FIRST_REVISION, StorageError, prefixEnd, type Storage } from '../../storage/interface.js';
import { pagesOf } from '../../storage/pages.js';

const PAGE_RECORDS = 500;

export interface LoadPlan {
  /** The revision to scan at; later changes follow as events, so that watches can resume from there. */
  readonly start: number;
  /** The revision to reach before the state may be read. */
  readonly target: number;
}

/** Plans a load from the oldest state of the store, but at most `history` revisions back. Errors: `unavailable`. */
export async function planLoad(storage: Storage, history: number): Promise<LoadPlan> {
  const target = await storage.currentRevision();
  const wanted = Math.max(FIRST_REVISION, target - history);
  if (wanted >= target) return { start: target, target };
  try {
    await storage.get(REGISTRY_PREFIX, { revision: wanted });
    return { start: wanted, target };
  } catch (error) {
    if (!(error instanceof StorageError) || error.failure.code !== 'compacted') throw error;
    return { start: Math.min(Math.max(error.failure.oldest, wanted), target), target };
  }
}

/**
 * The sources' records at one revision. Errors of the storage pass through.
 */
export async function loadEpoch(
  storage: Storage,
  sources: readonly ResourceSource[],
  start: number,
  limits: EpochLimits,
): Promise<Epoch> {
  const epoch = new Epoch(sources, start, limits);
  for (const source of sources) await loadSource(storage, source, epoch, start);
  return epoch;
}

async function loadSource(
  storage: Storage,
  source: ResourceSource,
  epoch: Epoch,
  revision: number,
): Promise<void> {
  const range = { start: source.prefix, end: prefixEnd(source.prefix) };
  for await (const records of pagesOf(storage, range, { revision, limit: PAGE_RECORDS })) {
    for (const record of records) epoch.load(source, record);
    await nextTurn();
  }
}
