import { StatusError } from '../../apimachinery/errors.js';
import type { DeleteOptions } from '../../apimachinery/options/delete.js';
import type { Entry } from '../../cache/interface.js';
import type { WriteContextOptions } from './create.js';
import { deleteObject } from './delete.js';
import { checkGracePeriod } from '../object/graceful.js';
import { listObjects, type ListRequest, type Page } from './list.js';
import type { ResourceStore } from '../resourcestore.js';

const PARALLEL = 16;

/**
 * Deletes each listed object by itself, and returns the list from before. An object that is already gone counts as
 * deleted; the first other error ends the request. `inTime` bounds each step.
 */
export async function deleteCollection(
  store: ResourceStore,
  list: ListRequest,
  deletion: DeleteOptions,
  options: WriteContextOptions,
  inTime: <T>(step: Promise<T>) => Promise<T>,
): Promise<Page> {
  checkGracePeriod(store.definition, deletion);
  const page = await inTime(listObjects(store, list));
  // A derived object is deleted with the one that it follows from.
  const entries = [...page.entries].filter(({ derived }) => derived !== true);
  const queue = entries.values();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const entry of queue) {
      if (failed) return;
      try {
        await inTime(deleteOne(store, entry, deletion, options));
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  // Waits for all workers: nothing is deleted after an error was returned.
  const ends = await Promise.allSettled(Array.from({ length: Math.min(PARALLEL, entries.length) }, worker));
  const bad = ends.find((end) => end.status === 'rejected');
  if (bad !== undefined) throw bad.reason;
  return { revision: page.revision, entries, rest: page.rest };
}

async function deleteOne(
  store: ResourceStore,
  entry: Entry,
  deletion: DeleteOptions,
  options: WriteContextOptions,
): Promise<void> {
  try {
    await deleteObject(store, entry, deletion, options);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
