/**
 * The lock of a data directory: one process owns it, and no other opens LMDB's files meanwhile. A process
 * that opens the files with the `lmdb` package writes to their shared lock file which transaction it found to
 * be the newest. The next commit would undo a commit made in between. So other processes read through the
 * owner (ownerreads.ts).
 *
 * LMDB admits several processes, so the lock is our own: the owner listens on a Unix socket in the directory.
 * The kernel closes the socket when the process ends for any reason. The name of the socket is in the store.
 * A process takes over by a compare-and-set of that name in an LMDB transaction, which excludes other
 * processes; so one of two that find the same dead owner succeeds. This works between containers that share
 * the directory on one machine, where process ids mean nothing.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, realpathSync, unlinkSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { META, type Tables } from './tables.js';
import {
  connected,
  Connections,
  inDirectory,
  isAlive,
  listen,
  socketName,
  socketsIn,
} from './ownersockets.js';
import { codeOf } from '../../apimachinery/caught.js';

/** A live process, possibly this one, has the directory open. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
  constructor(directory: string) {
    super(`the data directory ${directory} is in use by another process; only one may have it open`);
  }
}

/** Directories open in this process: two copies of LMDB's lock in one process would undo each other. */
const ownedHere = new Set<string>();

/** The time to wait for readers: opening the files takes milliseconds. */
const READERS_MS = 10_000;
/** The time to wait for other candidates: one that gives up closes its socket at once. */
const OTHERS_MS = 3_000;
const STEP_MS = 10;

export interface DirectoryLock {
  /** Makes this process the owner of the store. @throws DirectoryInUseError */
  claim(tables: Tables): Promise<void>;
  /** Passes connections of processes that want to read to `reader`, including those that wait already. */
  serve(reader: (connection: Socket) => void): void;
  release(): Promise<void>;
}

/** Prepares to own an existing directory. @throws DirectoryInUseError when this process has it open */
export async function prepareDirectoryLock(directory: string): Promise<DirectoryLock> {
  const real = realpathSync(directory);
  if (ownedHere.has(real)) throw new DirectoryInUseError(directory);
  ownedHere.add(real);
  const descriptor = openSync(real, 'r');
  const socketPath = (token: string) => inDirectory(descriptor, socketName('owner', token));
  const token = randomBytes(8).toString('hex');
  const connections = new Connections();
  let server: Server | undefined;
  const release = async () => {
    const closed = new Promise<void>((resolve) =>
      server === undefined ? resolve() : server.close(() => resolve()),
    );
    connections.end();
    await closed;
    closeSync(descriptor);
    ownedHere.delete(real);
  };
  try {
    server = await listen(socketPath(token), (connection) => connections.add(connection));
    await readersDone(real, descriptor);
    await othersDone(real, descriptor, token);
  } catch (error) {
    await release();
    if (error instanceof DirectoryInUseError) throw error;
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
          if (owner !== undefined) removeFile(path.join(real, socketName('owner', owner)));
          return;
        }
      }
    },
    serve: (reader) => connections.serve(reader),
    release,
  };
}

/** A process that is about to open the files for reading. */
export interface Announced {
  end(): Promise<void>;
}

/** Prevents processes from becoming owner until `end`. Check for an existing owner after this call. */
export async function announceReader(directory: string): Promise<Announced> {
  const descriptor = openSync(directory, 'r');
  const name = socketName('reader', randomBytes(8).toString('hex'));
  const socket = inDirectory(descriptor, name);
  try {
    const server = await listen(socket, (connection) => connection.destroy());
    return {
      end: async () => {
        await new Promise<void>((resolve) => server.close(() => resolve()));
        closeSync(descriptor);
      },
    };
  } catch (error) {
    closeSync(descriptor);
    // Nobody can write to a read-only file system.
    if (codeOf(error) === 'EROFS') return { end: () => Promise.resolve() };
    throw error;
  }
}

/** Waits until no process is about to open the files. @throws DirectoryInUseError after a timeout */
async function readersDone(directory: string, descriptor: number): Promise<void> {
  const until = performance.now() + READERS_MS;
  for (const { name } of socketsIn(directory, 'reader')) {
    while (await isAlive(inDirectory(descriptor, name))) {
      if (performance.now() > until) throw new DirectoryInUseError(directory);
      await sleep(STEP_MS);
    }
    // A reader that was killed left its socket.
    removeFile(path.join(directory, name));
  }
}

/**
 * Elects one of several candidates: the one with the lowest token.
 * @throws DirectoryInUseError for the others
 */
async function othersDone(directory: string, descriptor: number, token: string): Promise<void> {
  const until = performance.now() + OTHERS_MS;
  for (const other of socketsIn(directory, 'owner')) {
    if (other.token === token) continue;
    while (await isAlive(inDirectory(descriptor, other.name))) {
      if (other.token < token || performance.now() > until) throw new DirectoryInUseError(directory);
      await sleep(STEP_MS);
    }
  }
}

/** Connects to the process that owns the directory or is about to; undefined: there is none. */
export async function connectToOwner(directory: string): Promise<Socket | undefined> {
  const descriptor = openSync(directory, 'r');
  try {
    for (const { name } of socketsIn(directory, 'owner')) {
      const connection = await connected(inDirectory(descriptor, name));
      if (connection !== undefined) return connection;
    }
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whether a process, possibly this one, has the directory open or is about to. Reads nothing from the store.
 */
export async function isOwned(directory: string): Promise<boolean> {
  const descriptor = openSync(directory, 'r');
  try {
    for (const { name } of socketsIn(directory, 'owner'))
      if (await isAlive(inDirectory(descriptor, name))) return true;
    return false;
  } finally {
    closeSync(descriptor);
  }
}

function replaceOwner(tables: Tables, expected: string | undefined, token: string): boolean {
  return tables.root.transactionSync(() => {
    if (tables.meta.get(META.owner)?.toString() !== expected) return false;
    tables.meta.putSync(META.owner, Buffer.from(token));
    return true;
  });
}

function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
