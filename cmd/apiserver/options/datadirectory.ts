/** The default directory of the server's files. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Options } from './options.js';

const NAME = 'management-apiserver';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** 0: root. */
  readonly userId: number | undefined;
}

const ownSurroundings = (): Surroundings => ({ env: process.env, userId: process.getuid?.() });

/**
 * `$XDG_STATE_HOME` (XDG Base Directory Specification, which ignores relative paths); without it `/var/lib`
 * for root, as in the Filesystem Hierarchy Standard, and `~/.local/state` for others.
 */
export function usualDirectory({ env, userId }: Surroundings): string {
  const { XDG_STATE_HOME: state = '' } = env;
  if (isAbsolute(state)) return join(state, NAME);
  return userId === 0 ? join('/var/lib', NAME) : join(homedir(), '.local/state', NAME);
}

/** Undefined: nothing is stored in files. */
export function dataDirOf({ dataDir, mode }: Options): string | undefined {
  if (dataDir !== undefined) return resolve(dataDir);
  return mode === 'standalone' ? usualDirectory(ownSurroundings()) : undefined;
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
