/** Lists the files of an audit log while the server goes on writing and rotating. */
import { open, type FileHandle } from 'node:fs/promises';
import { asideFiles } from '../logfile.js';

export interface LogFile {
  readonly handle: FileHandle;
  /** The same after it is put aside. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** The file's events are from after `since` and up to `until`, in ms since 1970. */
  readonly since: number;
  readonly until: number;
}

/**
 * Newest first. Each file is closed when the next is requested. `skip` gets the times of a file before it is opened.
 * Rejects with errors of the file system except ENOENT.
 */
export async function* logFiles(
  path: string,
  skip: (times: Pick<LogFile, 'since' | 'until'>) => boolean,
): AsyncGenerator<LogFile> {
  // Opened before the others are listed, so that a file rotated meanwhile is found at least once.
  const current = await openFile(path);
  const seen = new Set<string>();
  try {
    const aside = (await asideFiles(path).catch(none)) ?? [];
    const times = { since: aside[0]?.at ?? -Infinity, until: Infinity };
    if (current !== undefined && !skip(times)) {
      seen.add(current.id);
      yield { ...current, ...times };
    }
    for (const [index, { path: older, at }] of aside.entries()) {
      const within = { since: aside[index + 1]?.at ?? -Infinity, until: at };
      if (skip(within)) continue;
      const file = await openFile(older);
      if (file === undefined) continue;
      try {
        if (!seen.has(file.id)) yield { ...file, ...within };
      } finally {
        await file.handle.close();
      }
    }
  } finally {
    await current?.handle.close();
  }
}

/** Undefined if the file does not exist. */
async function openFile(path: string): Promise<Pick<LogFile, 'handle' | 'id' | 'size'> | undefined> {
  const handle = await open(path, 'r').catch(none);
  if (handle === undefined) return undefined;
  const { ino, birthtimeMs, size } = await handle.stat();
  return { handle, id: `${ino}-${Math.floor(birthtimeMs)}`, size };
}

function none(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
