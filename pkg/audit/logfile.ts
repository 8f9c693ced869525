/** The audit log as a file that is put aside when it is full. */
import { mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { AuditFile } from './sink.js';

export interface LogFileOptions {
  readonly path: string;
  /** Size in bytes at which a file is rotated; 0: never. */
  readonly maxBytes: number;
  /** Maximum number of rotated files; 0: no limit. */
  readonly maxBackups: number;
}

/** Opened with the first append, and again after a failure. Only its owner may read it. */
export function auditLogFile(options: LogFileOptions): AuditFile {
  let handle: FileHandle | undefined;
  let size = 0;

  async function opened(): Promise<FileHandle> {
    if (handle !== undefined) return handle;
    await mkdir(dirname(options.path), { recursive: true, mode: 0o700 });
    handle = await open(options.path, 'a', 0o600);
    size = (await handle.stat()).size;
    return handle;
  }

  async function close(): Promise<void> {
    const closing = handle;
    handle = undefined;
    await closing?.close();
  }

  async function putAside(): Promise<void> {
    await close();
    await rename(options.path, await freeAsidePath(options.path));
    await removeOld(options);
  }

  return {
    close,
    async append(text) {
      try {
        await opened();
        if (options.maxBytes > 0 && size >= options.maxBytes) await putAside();
        const file = await opened();
        const bytes = Buffer.from(text);
        await file.appendFile(bytes);
        size += bytes.length;
      } catch (error) {
        await close().catch(() => undefined);
        throw error;
      }
    },
  };
}

/** Of now, or the next millisecond at which no file was put aside. */
async function freeAsidePath(path: string): Promise<string> {
  const taken = new Set((await asideFiles(path)).map(({ at }) => at));
  let at = Date.now();
  while (taken.has(at)) at += 1;
  return asidePath(path, new Date(at));
}

/** `audit-2026-11-21T17-40-00.123.log`. */
function asidePath(path: string, at: Date): string {
  const extension = extname(path);
  const stamp = at.toISOString().slice(0, -1).replaceAll(':', '-');
  return join(dirname(path), `${basename(path, extension)}-${stamp}${extension}`);
}

/** A file put aside, and when, in ms since 1970. */
export interface AsideFile {
  readonly path: string;
  readonly at: number;
}

/** The newest first. */
export async function asideFiles(path: string): Promise<AsideFile[]> {
  const folder = dirname(path);
  const extension = extname(path);
  const stem = `${basename(path, extension)}-`;
  const asideAt = (name: string): number => {
    if (!name.startsWith(stem) || !name.endsWith(extension)) return NaN;
    const stamp = name.slice(stem.length, name.length - extension.length);
    const [, day, hours, minutes, rest] = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-([\d.]+)$/.exec(stamp) ?? [];
    return Date.parse(`${day}${hours}:${minutes}:${rest}Z`);
  };
  return (await readdir(folder))
    .map((name) => ({ path: join(folder, name), at: asideAt(name) }))
    .filter(({ at }) => !Number.isNaN(at))
    .sort((one, other) => other.at - one.at);
}

async function removeOld({ path, maxBackups }: LogFileOptions): Promise<void> {
  if (maxBackups === 0) return;
  for (const file of (await asideFiles(path)).slice(maxBackups)) await rm(file.path, { force: true });
}
