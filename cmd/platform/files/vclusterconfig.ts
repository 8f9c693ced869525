/** The kubeconfig of a virtual cluster, and the client certificate in it. */
import { membersOf } from '../../../pkg/apimachinery/encoding/members.js';
import { parseYamlFile } from '../../../pkg/apimachinery/encoding/yaml/yamlfile.js';
import type { Client } from '../connection/client.js';
import { Failure } from '../failure.js';
import { managementObject } from '../objects.js';
import { projectNamespace } from '../project.js';

export interface VirtualClusterConfig {
  /** YAML, as the server gives it. */
  readonly text: string;
  readonly server: string;
  /** Base64 of PEM. */
  readonly authority: string | undefined;
  /** Base64 of PEM. */
  readonly certificate: string;
  readonly key: string;
}

interface Answer {
  readonly status?: { readonly kubeConfig?: string };
}

interface Kubeconfig {
  readonly clusters?: readonly {
    readonly cluster?: { readonly server?: string; readonly 'certificate-authority-data'?: string };
  }[];
  readonly users?: readonly {
    readonly user?: { readonly 'client-certificate-data'?: string; readonly 'client-key-data'?: string };
  }[];
}

/** Each call makes a certificate of its own, for `ttl` seconds where they are given. Rejects with a Failure. */
export async function virtualClusterConfig(
  client: Client,
  project: string | undefined,
  name: string,
  ttl?: number,
): Promise<VirtualClusterConfig> {
  const place = { resource: 'virtualclusterinstances', name, subresource: 'kubeconfig' };
  const namespace = project === undefined ? {} : { namespace: await projectNamespace(client, project) };
  const asked = client.during('Waiting for the virtual cluster to sign a certificate');
  const { status } = await (ttl === undefined
    ? asked.get<Answer>({ ...place, ...namespace })
    : asked.create<Answer>(
        { ...place, ...namespace },
        managementObject('VirtualClusterInstanceKubeConfig', {}, { spec: { certificateTTL: ttl } }),
      ));
  const text = status?.kubeConfig ?? '';
  const { clusters = [], users = [] }: Kubeconfig = membersOf(parseYamlFile(text));
  const { server, 'certificate-authority-data': authority } = clusters[0]?.cluster ?? {};
  const { 'client-certificate-data': certificate, 'client-key-data': key } = users[0]?.user ?? {};
  if (server === undefined || certificate === undefined || key === undefined)
    throw new Failure('failed', `the server gives no usable kubeconfig for virtual cluster "${name}"`);
  return { text, server, authority, certificate, key };
}
