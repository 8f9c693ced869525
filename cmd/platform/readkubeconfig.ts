/** Which server to talk to, and as whom: a context of a kubeconfig. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { Failure } from './failure.js';

/** A server and the caller's credentials. It holds secrets. */
export interface Connection {
  /** https; may have a path below which the API lies. */
  readonly server: URL;
  readonly token: string | undefined;
  /** PEM; undefined: the system's authorities. */
  readonly ca: string | undefined;
  /** PEM of the client's certificate and key. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Name to verify instead of the URL's host. */
  readonly servername: string | undefined;
  readonly rejectUnauthorized: boolean;
}

export interface KubeconfigChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
}

type Section = Readonly<Record<string, unknown>>;

/** Throws Failure where there is no usable context. Nothing that a kubeconfig names is run. */
export function readConnection(
  { kubeconfig, context }: KubeconfigChoice,
  env: Readonly<Record<string, string | undefined>>,
): Connection {
  const path = kubeconfig ?? defaultPath(env);
  const config = readConfig(path);
  const name = context ?? textOf(config, 'current-context');
  if (name === undefined)
    throw new Failure('failed', `${path} has no current context; choose one with --context`);
  const chosen = named(config, 'context', name, path);
  const cluster = named(config, 'cluster', textOf(chosen, 'cluster') ?? '', path);
  const userName = textOf(chosen, 'user');
  const user = userName === undefined ? {} : named(config, 'user', userName, path);
  for (const plugin of ['exec', 'auth-provider']) {
    if (plugin in user)
      throw new Failure('failed', `${path}: user "${userName}" needs ${plugin}, which is not supported`);
  }
  if ('proxy-url' in cluster) throw new Failure('failed', `${path}: proxy-url is not supported`);
  const pem = (section: Section, member: string): string | undefined => pemOf(section, member, path);
  const tokenFile = textOf(user, 'tokenFile');
  return {
    server: serverOf(cluster, path),
    token: tokenFile === undefined ? textOf(user, 'token') : readNear(path, tokenFile).trim(),
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
    servername: textOf(cluster, 'tls-server-name'),
    rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
  };
}

/** The file that kubectl reads: the first of `$KUBECONFIG` that is there, else `~/.kube/config`. */
export function defaultPath(env: Readonly<Record<string, string | undefined>>): string {
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  return listed.find(existsSync) ?? listed[0] ?? join(env.HOME ?? homedir(), '.kube', 'config');
}

function readConfig(path: string): Section {
  let parsed: unknown;
  try {
    parsed = parse(readFileSync(path, 'utf8'), { maxAliasCount: 0 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(
      'failed',
      code === 'ENOENT' ? `no kubeconfig at ${path}; name one with --kubeconfig` : `${path}: ${message}`,
      { cause: error },
    );
  }
  if (!isSection(parsed)) throw new Failure('failed', `${path} is no kubeconfig`);
  return parsed;
}

/** The entry of `clusters`, `contexts` or `users` with a name. */
function named(config: Section, kind: 'cluster' | 'context' | 'user', name: string, path: string): Section {
  const list = config[`${kind}s`];
  const entry = Array.isArray(list)
    ? (list as unknown[]).find((one) => isSection(one) && one.name === name)
    : undefined;
  const found = isSection(entry) ? entry[kind] : undefined;
  if (!isSection(found)) throw new Failure('failed', `${path} has no ${kind} "${name}"`);
  return found;
}

function serverOf(cluster: Section, path: string): URL {
  const text = textOf(cluster, 'server') ?? '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') throw new Failure('failed', `${path}: the server must be an https URL`);
  return url;
}

/** Inline (`<member>-data`, base64), or in a file, whose path is relative to the kubeconfig. */
function pemOf(section: Section, member: string, path: string): string | undefined {
  const data = textOf(section, `${member}-data`);
  if (data !== undefined) return Buffer.from(data, 'base64').toString();
  const file = textOf(section, member);
  return file === undefined ? undefined : readNear(path, file);
}

function readNear(path: string, file: string): string {
  try {
    return readFileSync(resolve(dirname(path), file), 'utf8');
  } catch (error) {
    throw new Failure('failed', `${path}: ${(error as Error).message}`, { cause: error });
  }
}

function textOf(section: Section, member: string): string | undefined {
  const value = section[member];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
