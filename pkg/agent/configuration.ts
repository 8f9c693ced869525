/**
 * The address of an API server and the credentials for it, in a Pod and from kubeconfigs with inline data.
 * The package that reads every kubeconfig would take more memory than the agent.
 */
import { readFile } from 'node:fs/promises';
import { decodeYaml } from '../apimachinery/encoding/yaml/yaml.js';
import { checkKubeconfig, type ClusterCredentials } from '../management/clusters/client/kubeconfig.js';
import {
  HostConfigurationError,
  hostConfiguration,
  podSettings,
  type HostSettings,
} from '../hostclient/configuration.js';
import { codeOf } from '../apimachinery/caught.js';

/**
 * Returns a function that reads the current settings, with the files, on each call. It rejects with
 * HostConfigurationError.
 * @param kubeconfig a path; absent: the service account of the Pod that this process runs in
 */
export async function agentConfiguration(
  kubeconfig: string | undefined,
): Promise<() => Promise<HostSettings>> {
  if (kubeconfig === undefined) return podSettings;
  if ((await inlineSettings(kubeconfig)) === undefined) return hostConfiguration(kubeconfig);
  return async () => {
    const settings = await inlineSettings(kubeconfig);
    if (settings === undefined) throw unreadable(kubeconfig, 'it needs more than it did');
    return settings;
  };
}

const unreadable = (path: string, why: string): HostConfigurationError =>
  new HostConfigurationError(`${path} cannot be read: ${why}`);

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw unreadable(path, codeOf(error) ?? 'unknown error');
  }
}

/** Undefined: it names files, runs programs, uses a proxy, or is invalid. */
async function inlineSettings(kubeconfig: string): Promise<HostSettings | undefined> {
  const text = await textOf(kubeconfig);
  const checked = checkKubeconfig(() => decodeYaml(text));
  return 'findings' in checked ? undefined : settingsOf(checked.credentials);
}

/** The settings of a checked kubeconfig. Contains credentials. */
export function settingsOf(credentials: ClusterCredentials): HostSettings {
  const { server, authority, certificate, key, token } = credentials;
  return {
    server,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token.trim()}` },
    auth: undefined,
    tls: {
      ...(authority !== undefined && { ca: authority }),
      ...(certificate !== undefined && { cert: certificate }),
      ...(key !== undefined && { key }),
      rejectUnauthorized: true,
    },
    proxy: undefined,
  };
}
