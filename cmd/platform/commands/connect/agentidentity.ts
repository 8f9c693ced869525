/** What the agent of a cluster is at the management API: the Cluster, a User with its rights, and its keys. */
import { agentName } from '../../../../pkg/management/clusters/join/agentname.js';
import { membersOf, textIn } from '../../../../pkg/apimachinery/encoding/members.js';
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { ifFound, type Client } from '../../connection/client.js';
import { Failure, usage } from '../../failure.js';
import { managementObject } from '../../objects.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const RBAC_GROUP = 'rbac.authorization.k8s.io';
const GROUP = 'management.svc.example';
/** Label of what this program has made for the agent of a cluster. */
const AGENT_OF = `${GROUP}/agent-of`;
/** Of the value of a label. */
const LONGEST_NAME = 63;
/** What an agent watches. */
const FOLLOWED = [
  'users',
  'teams',
  'ownedaccesskeys',
  'directclusterendpointtokenrevocations',
  'spaceinstances',
  'virtualclusterinstances',
];

const KEYS = { resource: 'ownedaccesskeys' };

const rolesPath = (plural: string, name: string): string =>
  `${RBAC}/${plural}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
const roleName = (cluster: string): string => `management-${agentName(cluster)}`;

/** Makes what is missing. Rejects with Failure where a name is taken by something else. */
export async function makeIdentity(client: Client, cluster: string, displayName?: string): Promise<void> {
  if (cluster.length > LONGEST_NAME)
    throw usage(`the name of a cluster with an agent has at most ${LONGEST_NAME} characters`);
  const foreign = (await rightsOf(client, cluster)).find(({ isOurs }) => !isOurs);
  if (foreign !== undefined) throw taken(foreign.noun, roleName(cluster));
  await makeCluster(client, cluster, displayName);
  await makeUser(client, cluster);
  await dropRights(client, cluster);
  const metadata = { name: roleName(cluster), labels: { [AGENT_OF]: cluster } };
  const rules = [
    { apiGroups: [GROUP], resources: FOLLOWED, verbs: ['get', 'list', 'watch'] },
    { apiGroups: [GROUP], resources: ['clusters/tunnel'], resourceNames: [cluster], verbs: ['create'] },
  ];
  const roleRef = { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: roleName(cluster) };
  const subjects = [{ apiGroup: RBAC_GROUP, kind: 'User', name: agentName(cluster) }];
  const of = (kind: string, rest: object): object => ({
    kind,
    apiVersion: `${RBAC_GROUP}/v1`,
    metadata,
    ...rest,
  });
  await client.post(rolesPath('clusterroles', ''), of('ClusterRole', { rules }));
  await client.post(rolesPath('clusterrolebindings', ''), of('ClusterRoleBinding', { roleRef, subjects }));
}

async function makeCluster(client: Client, name: string, displayName: string | undefined): Promise<void> {
  const known = await ifFound(client.get<Cluster>({ resource: 'clusters', name }));
  if (known?.spec?.config?.secretName)
    throw new Failure('conflict', `cluster "${name}" is connected by a kubeconfig`, {
      advice: `disconnect it with "platform disconnect cluster ${name}", or take another name`,
    });
  if (known !== undefined) return;
  const spec = displayName === undefined ? {} : { displayName };
  await client.create({ resource: 'clusters' }, managementObject('Cluster', { name }, { spec }));
}

async function makeUser(client: Client, cluster: string): Promise<void> {
  const name = agentName(cluster);
  const known = await ifFound(client.get({ resource: 'users', name }));
  if (known !== undefined && known.metadata.labels?.[AGENT_OF] !== cluster) throw taken('user', name);
  if (known !== undefined) return;
  const metadata = { name, labels: { [AGENT_OF]: cluster } };
  const spec = { displayName: `Agent of cluster ${cluster}` };
  await client.create({ resource: 'users' }, managementObject('User', metadata, { spec }));
}

const taken = (noun: string, name: string): Failure =>
  new Failure('conflict', `there is a ${noun} "${name}", which is not of the agent of a cluster`, {
    advice: `delete that ${noun}, or take another name for the cluster`,
  });

interface Right {
  readonly noun: string;
  readonly path: string;
  /** Whether this program has made it, for the agent of this cluster. */
  readonly isOurs: boolean;
}

/** What has the name of the rights of an agent, the binding first. */
async function rightsOf(client: Client, cluster: string): Promise<Right[]> {
  const found: Right[] = [];
  for (const noun of ['cluster role binding', 'cluster role']) {
    const path = rolesPath(`${noun.replaceAll(' ', '')}s`, roleName(cluster));
    const known = await ifFound(client.read(path));
    const { labels } = membersOf(membersOf(known).metadata);
    if (known !== undefined) found.push({ noun, path, isOurs: textIn(labels, AGENT_OF) === cluster });
  }
  return found;
}

async function dropRights(client: Client, cluster: string): Promise<void> {
  for (const { path, isOurs } of await rightsOf(client, cluster))
    if (isOurs) await ifFound(client.erase(path));
}

/** The access keys of the agent. */
export async function agentKeys(client: Client, cluster: string): Promise<OwnedAccessKey[]> {
  const { items } = await client.get<{ readonly items: readonly OwnedAccessKey[] }>(KEYS);
  return items.filter(({ spec }) => spec?.user === agentName(cluster));
}

export async function removeKeys(client: Client, keys: readonly OwnedAccessKey[]): Promise<void> {
  for (const { metadata } of keys) await ifFound(client.remove({ ...KEYS, name: metadata.name ?? '' }));
}

/** Whether this program has made the user of the agent of a cluster. */
export async function hasAgentUser(client: Client, cluster: string): Promise<boolean> {
  const user = await ifFound(client.get({ resource: 'users', name: agentName(cluster) }));
  return user?.metadata.labels?.[AGENT_OF] === cluster;
}

/** Removes all that {@link makeIdentity} makes, and the keys. */
export async function removeIdentity(client: Client, cluster: string): Promise<void> {
  await ifFound(client.remove({ resource: 'clusters', name: cluster }));
  if (!(await hasAgentUser(client, cluster))) return;
  await removeKeys(client, await agentKeys(client, cluster));
  await ifFound(client.remove({ resource: 'users', name: agentName(cluster) }));
  await dropRights(client, cluster);
}

/** For one agent, once, within 15 minutes. */
export async function joinToken(client: Client, name: string): Promise<string> {
  const { status } = await client.create<{ status?: { token?: string } }>(
    { resource: 'clusters', name, subresource: 'join' },
    managementObject('ClusterJoin', {}, {}),
  );
  if (status?.token === undefined) throw new Failure('failed', 'the server gives no join token');
  return status.token;
}
