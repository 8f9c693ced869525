/** Checks a store unless a process has it open, as pages written during the check would not match. */
import { isOwned } from '../directorylock.js';
import { checkFiles } from './checkfiles.js';

/**
 * Returns whether a process has the store open; otherwise the files are undamaged. Rejects as {@link
 * checkFiles} throws.
 */
export async function checkUnlessOwned(directory: string): Promise<boolean> {
  if (await isOwned(directory)) return true;
  try {
    checkFiles(directory);
  } catch {
    if (await isOwned(directory)) return true;
    // A process that had it open for a moment may have ended.
    checkFiles(directory);
  }
  return false;
}
