/** The address of the host and the credentials for it, from a kubeconfig or the Pod's service account. */
import { readFile } from 'node:fs/promises';
import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';
import { isIPv6 } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { listOf, membersOf, textIn } from '../apimachinery/encoding/members.js';
import { parseYamlFile } from '../apimachinery/encoding/yaml/yamlfile.js';
import { codeOf } from '../apimachinery/caught.js';

/** The settings of a connection. Contains credentials: never log it. */
export interface HostSettings {
  /** `https://10.96.0.1:443`, possibly with a path. */
  readonly server: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: string | undefined;
  readonly tls: TlsSettings;
  /** The agent for the proxy of the configuration. */
  readonly proxy: Agent | undefined;
}

type TlsSettings = Pick<
  RequestOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'servername' | 'rejectUnauthorized'
>;

/** The destination of a request for `path`, as options of `https.request`. The path is not changed. */
export function destinationOf(server: URL, path: string): { host: string; port: number; path: string } {
  const { hostname, port, pathname } = server;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 443 : Number(port),
    path: pathname.replace(/\/$/, '') + path,
  };
}

/** The configuration cannot be read or is invalid. Contains no credentials. */
export class HostConfigurationError extends Error {
  override readonly name = 'HostConfigurationError';
}

/**
 * Returns a function that reads the current settings: files are read with each call, and credentials of an
 * exec plugin are requested again when they expire.
 * @param kubeconfig a path; absent: the service account of the Pod that this process runs in
 */
export async function hostConfiguration(
  kubeconfig: string | undefined,
): Promise<() => Promise<HostSettings>> {
  if (kubeconfig === undefined) {
    podServer();
    return podSettings;
  }
  let config = await load(kubeconfig);
  let fresh = true;
  return async () => {
    // The configuration that ran an exec plugin caches its credentials.
    if (!fresh && config.getCurrentUser()?.exec == null) config = await load(kubeconfig);
    fresh = false;
    return settingsOf(config);
  };
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The service account of the Pod, read with each call, as `rest.InClusterConfig` of client-go does. The
 * package that reads kubeconfigs takes 45 MiB, which Pods do not need. Rejects with HostConfigurationError.
 */
export async function podSettings(): Promise<HostSettings> {
  const server = podServer();
  try {
    const [token, ca] = await Promise.all([read('token'), read('ca.crt')]);
    const headers = trimmed({ Authorization: `Bearer ${token}` });
    return { server, headers, auth: undefined, tls: { ca, rejectUnauthorized: true }, proxy: undefined };
  } catch (error) {
    const code = codeOf(error) ?? 'it is none';
    throw new HostConfigurationError(`the account of the Pod in ${ACCOUNT} cannot be read: ${code}`);
  }
}

function podServer(): string {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  if (host === undefined)
    throw new HostConfigurationError('this process runs in no Pod, and no kubeconfig is given');
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

const read = (file: string): Promise<string> => readFile(join(ACCOUNT, file), 'utf8');

async function load(kubeconfig: string): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  try {
    // Parsed here before the library parses it, as this parser bounds the nesting.
    const value = parseYamlFile(await readFile(kubeconfig, 'utf8'));
    if (!Array.isArray(membersOf(value).users ?? [])) throw new TypeError('its users are no list');
    config.loadFromFile(kubeconfig);
    nameTokenFile(config, kubeconfig, value);
  } catch (error) {
    const code = codeOf(error) ?? 'it is no kubeconfig';
    throw new HostConfigurationError(`the kubeconfig ${kubeconfig} cannot be read: ${code}`);
  }
  const { server = '' } = config.getCurrentCluster() ?? {};
  if (!server.startsWith('https://'))
    throw new HostConfigurationError(`the kubeconfig ${kubeconfig} names no server of https`);
  return config;
}

/** Sets `tokenFile` of the user, which the library reads under another name. */
function nameTokenFile(config: KubeConfig, kubeconfig: string, value: unknown): void {
  const user = config.getCurrentUser();
  const entry = listOf(membersOf(value).users).find((one) => textIn(one, 'name') === user?.name);
  const tokenFile = textIn(membersOf(entry).user, 'tokenFile');
  if (user === null || tokenFile === undefined) return;
  const authProvider = {
    name: 'tokenFile',
    config: { tokenFile: resolve(dirname(kubeconfig), tokenFile) },
  };
  config.users = config.users.map((one) => (one === user ? { ...user, authProvider } : one));
}

async function settingsOf(config: KubeConfig): Promise<HostSettings> {
  const options: RequestOptions = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    const code = codeOf(error) ?? 'its user has none';
    throw new HostConfigurationError(`the credentials for the host cannot be had: ${code}`);
  }
  const { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized, auth } = options;
  const { server = '', proxyUrl } = config.getCurrentCluster() ?? {};
  return {
    server: server.replace(/\/+$/, ''),
    headers: trimmed(options.headers ?? {}),
    auth: auth ?? undefined,
    tls: { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized },
    proxy: proxyUrl !== undefined && typeof options.agent === 'object' ? options.agent : undefined,
  };
}

/** A token file may end with a newline, which is invalid in a header. */
function trimmed(headers: object): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value).trim()]));
}
