/** The sockets by which processes own a data directory, or say that they are about to open its files. */
import { readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

/** Commands that read, at a time. */
const MOST_READERS = 16;

/** Of one that owns the directory, or is about to; of one that is about to open the files to read. */
type Kind = 'owner' | 'reader';

export const socketName = (kind: Kind, token: string): string => `${kind}-${token}.sock`;

/** Those of the directory, of processes that have ended, too. */
export function socketsIn(
  directory: string,
  kind: Kind,
): { readonly name: string; readonly token: string }[] {
  return readdirSync(directory).flatMap((name) => {
    const [, of, token] = /^(\w+)-(.*)\.sock$/.exec(name) ?? [];
    return of === kind && token !== undefined ? [{ name, token }] : [];
  });
}

/** By a descriptor of the directory names are short: a path of a socket may have 107 bytes at most. */
export const inDirectory = (descriptor: number, name: string): string =>
  `/proc/self/fd/${descriptor}/${name}`;

export function listen(socket: string, listener: (connection: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(listener);
    server.once('error', reject);
    server.listen(socket, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** Whether somebody listens. Anything but a clear no counts as yes. */
export async function isAlive(socket: string): Promise<boolean> {
  try {
    const connection = await connected(socket);
    connection?.destroy();
    return connection !== undefined;
  } catch {
    return true;
  }
}

/** Undefined where nobody listens. Rejects with what else keeps it. */
export function connected(socket: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket, () => {
      connection.removeListener('error', failed);
      resolve(connection);
    });
    const failed = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined);
      else reject(error);
    };
    connection.once('error', failed);
  });
}

/** Connections to the owner: they wait until it serves. */
export class Connections {
  readonly #open = new Set<Socket>();
  #reader: ((connection: Socket) => void) | undefined;

  add(connection: Socket): void {
    connection.on('error', () => undefined);
    if (this.#open.size >= MOST_READERS) return void connection.destroy();
    this.#open.add(connection);
    connection.once('close', () => this.#open.delete(connection));
    this.#reader?.(connection);
  }

  serve(reader: (connection: Socket) => void): void {
    this.#reader = reader;
    for (const connection of this.#open) reader(connection);
  }

  end(): void {
    for (const connection of this.#open) connection.destroy();
  }
}
