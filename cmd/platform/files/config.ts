/** The file that remembers logins: contexts by name, and which one is in use. Only its owner may read it. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../failure.js';
import { readIfThere, replaceFile, whileLocked } from './atomicfile.js';
import { membersOf } from '../../../pkg/apimachinery/encoding/members.js';
import { parseStored } from '../../../pkg/apimachinery/encoding/parsestored.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A server that one has logged in to. */
export interface Context {
  /** https; may have a path below which the API lies. */
  readonly server: string;
  /** PEM of the pinned authority; absent: the system's. */
  readonly ca?: string;
  /** The user who logged in. */
  readonly user: string;
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

/** Empty if there is no file. Throws Failure for one that cannot be read. */
export async function readConfig(env: Environment): Promise<Config> {
  const path = configPath(env);
  const bytes = await readIfThere(path);
  if (bytes === undefined) return { contexts: {} };
  const parsed = parse(bytes.toString());
  if (parsed === undefined) throw new Failure('failed', `${path} is damaged; remove it and log in again`);
  return parsed;
}

/** Changes the file as a whole: of programs that do so at once, each starts from what the other wrote. */
export async function changeConfig(env: Environment, change: (config: Config) => Config): Promise<void> {
  const path = configPath(env);
  await whileLocked(path, async () => {
    const changed = change(await readConfig(env));
    await replaceFile(path, `${JSON.stringify(changed, null, 2)}\n`);
  });
}

function parse(text: string): Config | undefined {
  try {
    const { current, contexts } = parseStored<Partial<Config>>(text);
    if (typeof contexts !== 'object' || Object.values(contexts).some((one) => !isContext(one)))
      return undefined;
    return { contexts, ...(typeof current === 'string' && { current }) };
  } catch {
    return undefined;
  }
}

const isContext = (value: unknown): boolean =>
  [membersOf(value).server, membersOf(value).user].every((text) => typeof text === 'string');
