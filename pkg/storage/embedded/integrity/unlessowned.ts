/** The check of a store that a process may have open: pages that it writes meanwhile do not fit those that were read before. */
import { isOwned } from '../directorylock.js';
import { checkFiles } from './checkfiles.js';

/** Answers whether a process has the store open; otherwise the files are whole. Rejects as {@link checkFiles} throws. */
export async function checkUnlessOwned(directory: string): Promise<boolean> {
  if (await isOwned(directory)) return true;
  try {
    checkFiles(directory);
  } catch {
    if (await isOwned(directory)) return true;
    // Who had it for a moment may have gone.
    checkFiles(directory);
  }
  return false;
}
