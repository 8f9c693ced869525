import { mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Contents } from './contents.js';
import { differenceOf, unpack } from './unpack.js';
import { trustedFolder } from './trusted.js';
import { messageOf } from '../../pkg/apimachinery/caught.js';

export interface Start {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the user gave, or, where the program started itself, the path of its main file before that. */
  readonly argv: readonly string[];
  /** For temporary files. */
  readonly temporary: string;
  /** Told how to remove the folder that is only for this process. */
  readonly atExit: (remove: () => void) => void;
}

export interface Unpacked {
  readonly main: string;
  /** The user's arguments. */
  readonly argv: readonly string[];
}

/**
 * Where the files of the program are: in the folder that the process which started this one uses, otherwise in the
 * user's folder for caches, otherwise in a new folder among the temporary files.
 * @throws where none of these will do, with the reason for each
 */
export function unpackSomewhere(contents: Contents, start: Start): Unpacked {
  const { env, argv } = start;
  const reasons: string[] = [];
  const attempt = (work: () => string): string | undefined => {
    try {
      return work();
    } catch (error) {
      reasons.push(messageOf(error));
      return undefined;
    }
  };
  const [first = ''] = argv;
  const handed = first.endsWith(`/${contents.digest}/${contents.main}`);
  const places = [...(handed ? [() => handedOver(contents, first)] : []), () => cached(contents, env)];
  for (const place of [...places, () => temporary(contents, start)]) {
    const folder = attempt(place);
    if (folder !== undefined)
      return { main: join(folder, contents.main), argv: handed ? argv.slice(1) : argv };
  }
  throw new Error(
    `cannot unpack its files: ${reasons.join('; ')}. Set XDG_CACHE_HOME to a folder of your own, on a file system ` +
      'that can be written to and runs programs',
  );
}

function handedOver(contents: Contents, main: string): string {
  const folder = trustedFolder(main.slice(0, -contents.main.length - 1));
  const difference = differenceOf(contents, folder);
  if (difference !== undefined) throw new Error(difference);
  return folder;
}

/** systemd names a folder for a service with CacheDirectory=; for users it is that of the XDG specification. */
function cached(contents: Contents, env: Start['env']): string {
  const [service = ''] = (env.CACHE_DIRECTORY ?? '').split(':');
  const user = env.XDG_CACHE_HOME ?? '';
  const folder = [service, user].find(isAbsolute) ?? join(homedir(), '.cache');
  return unpack(contents, join(folder, contents.program));
}

function temporary(contents: Contents, start: Start): string {
  const place = mkdtempSync(join(trustedFolder(start.temporary), `${contents.program}-`));
  const remove = (): void => rmSync(place, { recursive: true, force: true });
  try {
    const folder = unpack(contents, place);
    start.atExit(remove);
    return folder;
  } catch (error) {
    remove();
    throw error;
  }
}
