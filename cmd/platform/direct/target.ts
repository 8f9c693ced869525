/** The address of a space or a virtual cluster: at the agent of its cluster, or in the management API. */
import { directPath } from '../../../api/management.svc.example/directpath.js';
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import type { KubeObject } from '../../../api/resource.js';
import { textIn } from '../../../pkg/apimachinery/encoding/members.js';
import type { Client } from '../connection/client.js';
import { Failure } from '../failure.js';
import { projectNamespace } from '../project.js';

/** Annotations of a Cluster: where its own API or its agent is reached, and base64 of the PEM of its authority. */
export const ENDPOINT = 'management.svc.example/direct-endpoint';
export const ENDPOINT_CA = 'management.svc.example/direct-endpoint-ca';

export interface Instance {
  readonly kind: 'space' | 'vcluster';
  readonly project: string;
  readonly name: string;
}

export interface DirectTarget {
  /** `space "web/staging"`. */
  readonly what: string;
  /** The name of the Cluster that the instance is in. */
  readonly cluster: string;
  /** Of a space; a virtual cluster has its own namespaces. */
  readonly namespace: string | undefined;
  /** Of the instance, the same at the agent and at the management API. */
  readonly path: string;
  /** The instance alone. */
  readonly scope: Scope;
  /** Flags with which `platform token` gets a token of that scope. */
  readonly flags: readonly string[];
  /** Of the agent, as the Cluster names it; undefined: it names none, or the caller may not get the Cluster. */
  readonly endpoint: Endpoint | undefined;
}

export interface Endpoint {
  /** https, without a slash at the end. */
  readonly server: string;
  /** PEM; undefined: the authorities of the system. */
  readonly authority: string | undefined;
}

const KINDS = {
  space: {
    resource: 'spaceinstances',
    flag: '--space',
    noun: 'space',
    step: 'space',
    scope: (project: string, space: string): Scope => ({ spaces: [{ project, space }] }),
  },
  vcluster: {
    resource: 'virtualclusterinstances',
    flag: '--virtual-cluster',
    noun: 'virtual cluster',
    step: 'virtualcluster',
    scope: (project: string, virtualCluster: string): Scope => ({
      virtualClusters: [{ project, virtualCluster }],
    }),
  },
} as const;

interface Spec {
  readonly clusterRef?: { readonly cluster?: string; readonly namespace?: string };
}

/** Rejects with a Failure: the instance is not found, is in no cluster yet, or the endpoint of its cluster is invalid. */
export async function directTarget(client: Client, { kind, project, name }: Instance): Promise<DirectTarget> {
  const { resource, step, flag, noun, scope } = KINDS[kind];
  const namespace = await projectNamespace(client, project);
  const { clusterRef = {} }: Spec =
    (await client.get<{ spec?: Spec }>({ resource, namespace, name })).spec ?? {};
  const { cluster } = clusterRef;
  if (!cluster)
    throw new Failure(
      'failed',
      `${noun} "${name}" is in no cluster yet; see "platform list ${kind} --project ${project}"`,
    );
  return {
    what: `${noun} "${project}/${name}"`,
    cluster,
    namespace: kind === 'space' ? clusterRef.namespace : undefined,
    path: directPath(project, step, name),
    scope: scope(project, name),
    flags: ['--direct-cluster-endpoint', '--cluster', cluster, flag, `${project}/${name}`],
    endpoint: await endpointOf(client, cluster),
  };
}

async function endpointOf(client: Client, name: string): Promise<Endpoint | undefined> {
  const cluster = await client.get<KubeObject>({ resource: 'clusters', name }).catch((error: unknown) => {
    // A user who may not get the cluster may still have a token for it.
    if (error instanceof Failure && error.reason === 'forbidden') return undefined;
    throw error;
  });
  const { [ENDPOINT]: server, [ENDPOINT_CA]: authority } = cluster?.metadata.annotations ?? {};
  if (server === undefined) return undefined;
  if (!URL.canParse(server) || new URL(server).protocol !== 'https:')
    throw new Failure(
      'failed',
      `the annotation ${ENDPOINT} of cluster "${name}" is no https URL: write it as https://agent.example.com`,
    );
  const pem = authority === undefined ? undefined : Buffer.from(authority, 'base64').toString();
  if (pem !== undefined && !pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new Failure('failed', `the annotation ${ENDPOINT_CA} of cluster "${name}" is no base64 of PEM`);
  return { server: server.replace(/\/+$/, ''), authority: pem };
}

/** The management API of a login, as the way to clusters whose agents dial it. Throws Failure where it is not verified. */
export function centralEndpoint({ connection }: Client): Endpoint {
  const { server, ca, rejectUnauthorized } = connection;
  if (!rejectUnauthorized)
    throw new Failure(
      'failed',
      `the certificate of ${server.origin} is not verified by this login: log in with --ca-file`,
    );
  return { server: server.href.replace(/\/+$/, ''), authority: ca };
}

/** The message of a Status, else the beginning of the text. */
export function statusMessage(text: string): string {
  try {
    return textIn(JSON.parse(text), 'message') ?? text.slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}
