/** The default directory of the server's files. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Options } from './options.js';
import { StartError } from '../starterror.js';

const NAME = 'management-apiserver';
/** The default of earlier releases. */
const EARLIER = './data';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** 0: root. */
  readonly userId: number | undefined;
}

export const ownSurroundings = (): Surroundings => ({ env: process.env, userId: process.getuid?.() });

/**
 * `$XDG_STATE_HOME` (XDG Base Directory Specification, which ignores relative paths); without it `/var/lib`
 * for root, as in the Filesystem Hierarchy Standard, and `~/.local/state` for others.
 */
export function usualDirectory({ env, userId }: Surroundings): string {
  const { XDG_STATE_HOME: state = '' } = env;
  if (isAbsolute(state)) return join(state, NAME);
  return userId === 0 ? join('/var/lib', NAME) : join(homedir(), '.local/state', NAME);
}

/**
 * Undefined: nothing is stored in files. Throws StartError if the default directory of earlier releases has a
 * store, which would otherwise seem lost.
 */
export function dataDirOf(
  { dataDir, mode, etcdServers }: Options,
  surroundings: Surroundings = ownSurroundings(),
): string | undefined {
  if (dataDir !== undefined) return resolve(dataDir);
  if (mode !== 'standalone') return undefined;
  const usual = usualDirectory(surroundings);
  if (etcdServers === undefined && existsSync(join(EARLIER, 'store')) && !existsSync(join(usual, 'store')))
    throw new StartError(
      `${EARLIER} has a store, as earlier releases made it there: go on with it by --data-dir ${EARLIER}, or begin anew by --data-dir ${usual}`,
    );
  return usual;
}

/**
 * The default kubeconfig, in the default directory.
 * @param directory the result of {@link dataDirOf}
 */
export function kubeconfigOf(
  { writeKubeconfig, dataDir, etcdServers }: Options,
  directory: string | undefined,
): string | undefined {
  if (writeKubeconfig !== undefined) return writeKubeconfig;
  if (directory === undefined || dataDir !== undefined || etcdServers !== undefined) return undefined;
  return join(directory, 'admin.kubeconfig');
}
