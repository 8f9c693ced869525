/**
 * One process at a time owns a data directory. LMDB lets several in, so ownership is our own: the owner listens on
 * a Unix socket in the directory, which the kernel closes with the process whatever kills it, and whose name stands
 * in the store. Taking over is a compare-and-set of that name in an LMDB transaction, which excludes other
 * processes; so of two that find the same dead owner, one succeeds. This works between containers that share the
 * directory on one machine, where process ids say nothing.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, realpathSync, unlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import path from 'node:path';
import { META } from './tables.js';
import type { Tables } from './tables.js';
import { codeOf } from '../../apimachinery/caught.js';

/** The directory is in use by a process that is alive (or by this one). */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
  constructor(directory: string) {
    super(`the data directory ${directory} is in use by another process; only one may have it open`);
  }
}

/** Directories open in this process: two copies of LMDB's lock in one process would undo each other. */
const ownedHere = new Set<string>();

export interface DirectoryLock {
  /** Makes this process the owner of the store. @throws DirectoryInUseError */
  claim(tables: Tables): Promise<void>;
  release(): Promise<void>;
}

/** Gets ready to own the directory, which exists. @throws DirectoryInUseError when this process has it open. */
export async function prepareDirectoryLock(directory: string): Promise<DirectoryLock> {
  const real = realpathSync(directory);
  if (ownedHere.has(real)) throw new DirectoryInUseError(directory);
  ownedHere.add(real);
  // Names through the descriptor are short: a socket's path may have 107 bytes at most.
  const descriptor = openSync(real, 'r');
  const socketPath = (token: string) => inDirectory(descriptor, `owner-${token}.sock`);
  const token = randomBytes(8).toString('hex');
  let server: Server | undefined;
  const release = async () => {
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
    closeSync(descriptor);
    ownedHere.delete(real);
  };
  try {
    server = await listen(socketPath(token));
  } catch (error) {
    await release();
    throw new Error(`cannot make a socket in the data directory ${directory}, which marks its owner`, {
      cause: error,
    });
  }
  return {
    claim: async (tables) => {
      for (;;) {
        const owner = tables.meta.get(META.owner)?.toString();
        if (owner !== undefined && (await isAlive(socketPath(owner))))
          throw new DirectoryInUseError(directory);
        if (replaceOwner(tables, owner, token)) {
          if (owner !== undefined) removeFile(path.join(real, `owner-${owner}.sock`));
          return;
        }
      }
    },
    release,
  };
}

/** Whether a process has the directory open or is about to, this one among them. Nothing is read from the store. */
export async function isOwned(directory: string): Promise<boolean> {
  const descriptor = openSync(directory, 'r');
  try {
    for (const name of readdirSync(directory))
      if (/^owner-.*\.sock$/.test(name) && (await isAlive(inDirectory(descriptor, name)))) return true;
    return false;
  } finally {
    closeSync(descriptor);
  }
}

const inDirectory = (descriptor: number, name: string): string => `/proc/self/fd/${descriptor}/${name}`;

function replaceOwner(tables: Tables, expected: string | undefined, token: string): boolean {
  return tables.root.transactionSync(() => {
    if (tables.meta.get(META.owner)?.toString() !== expected) return false;
    tables.meta.putSync(META.owner, Buffer.from(token));
    return true;
  });
}

function listen(socket: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy());
    server.once('error', reject);
    server.listen(socket, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** Whether somebody listens. Anything but a clear no counts as yes. */
function isAlive(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket, () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}

function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
