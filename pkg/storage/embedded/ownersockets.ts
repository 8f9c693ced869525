/** The sockets of processes that own a data directory, or are about to open its files. */
import { readdirSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The maximum of concurrent readers. */
const MAX_READERS = 16;

/**
 * Of a process that owns the directory or is about to, or of one that is about to open the files for reading.
 */
type Kind = 'owner' | 'reader';

export const socketName = (kind: Kind, token: string): string => `${kind}-${token}.sock`;

/** The sockets in the directory, including those of processes that have ended. */
export function socketsIn(
  directory: string,
  kind: Kind,
): { readonly name: string; readonly token: string }[] {
  return readdirSync(directory).flatMap((name) => {
    const [, of, token] = /^(\w+)-(.*)\.sock$/.exec(name) ?? [];
    return of === kind && token !== undefined ? [{ name, token }] : [];
  });
}

/** A path by a descriptor of the directory, as the path of a socket has at most 107 bytes. */
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

/** Whether a process listens. Any failure but a refused connection counts as yes. */
export async function isAlive(socket: string): Promise<boolean> {
  try {
    const connection = await connected(socket);
    connection?.destroy();
    return connection !== undefined;
  } catch {
    return true;
  }
}

/** Connects; undefined if nobody listens. Rejects for other failures. */
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

/** Connections to the owner, which wait until it serves them. */
export class Connections {
  private readonly open = new Set<Socket>();
  private reader: ((connection: Socket) => void) | undefined;

  add(connection: Socket): void {
    connection.on('error', () => undefined);
    if (this.open.size >= MAX_READERS) return void connection.destroy();
    this.open.add(connection);
    connection.once('close', () => this.open.delete(connection));
    this.reader?.(connection);
  }

  serve(reader: (connection: Socket) => void): void {
    this.reader = reader;
    for (const connection of this.open) reader(connection);
  }

  end(): void {
    for (const connection of this.open) connection.destroy();
  }
}
