/**
 * Handles the draft of a segment whose writer was killed: the process that a supervisor starts next continues the log,
 * but must not take the draft from a live writer.
 */
import { stat, unlink } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../../apimachinery/caught.js';
import { isLeftBehind } from '../leftbehind.js';
import { draftOf, inUse, notWritten } from './draft.js';

/**
 * Five times the interval at which a writer updates its draft. It is measured by the clock of this process, as clocks
 * of machines may differ.
 */
const QUIET_MS = 10_000;
const CHECK_INTERVAL_MS = 200;

/**
 * Removes the draft of a file when no process has updated it for a while. Returns whether the file may be written;
 * false if `signal` was aborted. Rejects with StartError if another process is writing it.
 */
export async function removeLeftDraft(
  path: string,
  signal: AbortSignal,
  quietMs = QUIET_MS,
): Promise<boolean> {
  const draft = draftOf(path);
  const failed = (error: unknown): never => {
    throw notWritten(path, error);
  };
  const found = await statOf(draft).catch(failed);
  if (found === undefined) return true;
  const until = performance.now() + (isLeftBehind(found) ? 0 : quietMs);
  while (performance.now() < until) {
    await sleep(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
    const now = await statOf(draft).catch(failed);
    if (now?.ino !== found.ino || now.mtimeMs !== found.mtimeMs) throw notWritten(path, inUse(draft));
  }
  await unlink(draft).catch(failed);
  return true;
}

async function statOf(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
