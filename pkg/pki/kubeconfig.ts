import { isIPv6 } from 'node:net';
import { listOf, membersOf, textIn } from '../apimachinery/encoding/members.js';
import { yamlPackage } from '../apimachinery/encoding/yaml/yamlpackage.js';
import { parseYamlFile } from '../apimachinery/encoding/yaml/yamlfile.js';

export interface KubeconfigContent {
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM, embedded in the kubeconfig. */
  readonly authority: string;
  readonly token: string;
}

const NAME = 'management';
const USER = 'admin';

/** Formats a kubeconfig of one cluster, user and context as YAML. It contains a secret. */
export function formatKubeconfig({ server, authority, token }: KubeconfigContent): string {
  return yamlPackage().stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: NAME,
        cluster: { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') },
      },
    ],
    users: [{ name: USER, user: { token } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: USER } }],
    'current-context': NAME,
  });
}

/** The first user's token in a kubeconfig; undefined if there is none or the text is invalid. */
export function tokenOf(kubeconfig: string): string | undefined {
  try {
    const { users } = membersOf(parseYamlFile(kubeconfig));
    return textIn(membersOf(listOf(users)[0]).user, 'token');
  } catch {
    return undefined;
  }
}

/** Parses the output of {@link formatKubeconfig}; undefined for other texts. */
export function contentOf(kubeconfig: string): KubeconfigContent | undefined {
  try {
    const { clusters } = membersOf(parseYamlFile(kubeconfig));
    const { cluster } = membersOf(listOf(clusters)[0]);
    const { server, 'certificate-authority-data': data } = membersOf(cluster);
    const token = tokenOf(kubeconfig);
    if (typeof server !== 'string' || typeof data !== 'string' || token === undefined) return undefined;
    return { server, authority: Buffer.from(data, 'base64').toString('utf8'), token };
  } catch {
    return undefined;
  }
}

/** The URL by which a client on this machine reaches a server bound to `address`. */
export function localUrl(address: string, port: number): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
