/** The file that remembers logins: contexts by name, and which one is in use. Only its owner may read it. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from './failure.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A server that one has logged in to. */
export interface Context {
  /** https; may have a path below which the API lies. */
  readonly server: string;
  /** PEM of the pinned authority; absent: the system's. */
  readonly ca?: string;
  /** Absent where the operating system's keychain has it. */
  readonly accessKey?: string;
}

export interface Config {
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

/** `$PLATFORM_CONFIG`, else `platform/config.json` in the user's folder for configuration. */
export function configPath(env: Environment): string {
  if (env.PLATFORM_CONFIG) return env.PLATFORM_CONFIG;
  return join(env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config'), 'platform', 'config.json');
}

/** Empty where there is no file. Throws Failure for one that cannot be read. */
export async function readConfig(env: Environment): Promise<Config> {
  const path = configPath(env);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { contexts: {} };
    throw new Failure('failed', `${path}: ${(error as Error).message}`, { cause: error });
  }
  const parsed = parse(text);
  if (parsed === undefined) throw new Failure('failed', `${path} is damaged; remove it and log in again`);
  return parsed;
}

/** Replaces the file as a whole, so that a reader sees the old one or the new one. */
export async function writeConfig(env: Environment, config: Config): Promise<void> {
  await replaceFile(configPath(env), `${JSON.stringify(config, null, 2)}\n`);
}

/** Writes a file that only its owner may read, by renaming a finished one into place. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw new Failure('failed', `cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function parse(text: string): Config | undefined {
  try {
    const { current, contexts } = JSON.parse(text) as Partial<Config>;
    if (typeof contexts !== 'object' || Object.values(contexts).some((one) => !isContext(one)))
      return undefined;
    return { contexts, ...(typeof current === 'string' && { current }) };
  } catch {
    return undefined;
  }
}

const isContext = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'server' in value && typeof value.server === 'string';
