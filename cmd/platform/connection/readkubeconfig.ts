/** The server and the credentials of a context of a kubeconfig, read and used as kubectl does. */
import { listOf, membersOf, textIn } from '../../../pkg/apimachinery/encoding/members.js';
import { existsSync, readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { User } from '@kubernetes/client-node';
// The configuration alone: the whole package takes several times as long to load.
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { parseYamlFile } from '../../../pkg/apimachinery/encoding/yaml/yamlfile.js';
import { Failure } from '../failure.js';
import { proxyFor } from './proxy.js';
import type { Connection } from './serverconnection.js';
import { messageOf, codeOf } from '../../../pkg/apimachinery/caught.js';

export interface KubeconfigChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Rejects with a Failure where there is no usable context. A program that it names for credentials is run. */
export async function readConnection(choice: KubeconfigChoice, env: Environment): Promise<Connection> {
  const paths = choice.kubeconfig === undefined ? kubeconfigPaths(env) : [choice.kubeconfig];
  const there = paths.filter((path) => choice.kubeconfig !== undefined || existsSync(path));
  const where = there.join(delimiter) || paths.join(delimiter);
  if (there.length === 0)
    throw new Failure('failed', `no kubeconfig at ${where}; name one with --kubeconfig`);
  const config = merged(there.map(readFile));
  if (choice.context !== undefined) config.setCurrentContext(choice.context);
  const server = serverOf(config, where);
  const options = await optionsOf(config, where);
  const named = config.getCurrentCluster()?.proxyUrl;
  return {
    server,
    token: bearerOf(options),
    auth: typeof options.auth === 'string' ? options.auth : undefined,
    ca: pem(options.ca),
    caFrom: options.ca === undefined ? undefined : where,
    cert: pem(options.cert),
    key: pem(options.key),
    servername: options.servername,
    rejectUnauthorized: options.rejectUnauthorized !== false,
    proxy: await proxyFor(server, env, named),
  };
}

/** Throws Failure where the file cannot be read, or has none. */
export function currentContextOf(path: string): string {
  const name = readFile(path).getCurrentContext();
  if (!name) throw new Failure('failed', `${path} has no current context; choose one with --context`);
  return name;
}

/** The file to which kubectl writes: the first of `$KUBECONFIG` that is there, else the last, else `~/.kube/config`. */
export function defaultPath(env: Environment): string {
  const paths = kubeconfigPaths(env);
  return paths.find((path) => existsSync(path)) ?? paths.at(-1) ?? '';
}

function kubeconfigPaths(env: Environment): string[] {
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  return listed.length > 0 ? listed : [join(env.HOME ?? homedir(), '.kube', 'config')];
}

function readFile(path: string): KubeConfig {
  const config = new KubeConfig();
  try {
    // Before the library sees the text: this bounds how deep it nests.
    const value = parseYamlFile(readFileSync(path, 'utf8'));
    config.loadFromFile(path, { onInvalidEntry: 'filter' });
    for (const user of config.users) readTokenFile(user, path, value);
    return config;
  } catch (error) {
    const code = codeOf(error);
    // The lines that follow show what is there.
    const [first = ''] = messageOf(error).split('\n');
    const why =
      code === 'ENOENT' ? `no kubeconfig at ${path}; name one with --kubeconfig` : `${path}: ${first}`;
    throw new Failure('failed', why, { cause: error });
  }
}

/** Of entries of one name the first counts, and of current contexts too: as kubectl has it. */
function merged(configs: readonly KubeConfig[]): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: configs.flatMap(({ clusters }) => clusters),
    users: configs.flatMap(({ users }) => users),
    contexts: configs.flatMap(({ contexts }) => contexts),
    currentContext: configs.find(({ currentContext }) => currentContext)?.currentContext,
  });
  return config;
}

/** `tokenFile` of a user, which the library does not know by this name. */
function readTokenFile(user: User, path: string, value: unknown): void {
  const entry = listOf(membersOf(value).users).find((one) => textIn(one, 'name') === user.name);
  const file = textIn(membersOf(entry).user, 'tokenFile');
  if (file !== undefined)
    Object.assign(user, { token: readFileSync(resolve(dirname(path), file), 'utf8').trim() });
}

function serverOf(config: KubeConfig, where: string): URL {
  const name = config.getCurrentContext();
  if (!name) throw new Failure('failed', `${where} has no current context; choose one with --context`);
  const context = config.getContextObject(name);
  if (context === null) throw new Failure('failed', `${where} has no context "${name}"`);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Failure('failed', `${where} has no cluster "${context.cluster}"`);
  if (context.user && config.getCurrentUser() === null)
    throw new Failure('failed', `${where} has no user "${context.user}"`);
  // The library applies no cluster's authority without a user.
  if (!context.user) {
    config.users.push({ name: '' });
    Object.assign(context, { user: '' });
  }
  const url = URL.canParse(cluster.server) ? new URL(cluster.server) : undefined;
  if (url?.protocol !== 'https:') throw new Failure('failed', `${where}: the server must be an https URL`);
  return url;
}

async function optionsOf(config: KubeConfig, where: string): Promise<RequestOptions> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
    return options;
  } catch (error) {
    // The output of a program, or a file, may have the credentials.
    const why = error instanceof SyntaxError ? 'what was read is not valid JSON' : messageOf(error);
    throw new Failure('unauthenticated', `${where} gives no credentials: ${why}`, { cause: error });
  }
}

function bearerOf({ headers = {} }: RequestOptions): string | undefined {
  const { Authorization: header } = membersOf(headers);
  return typeof header === 'string' ? header.replace(/^Bearer /, '') : undefined;
}

const pem = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : Buffer.isBuffer(value) ? value.toString() : undefined;
