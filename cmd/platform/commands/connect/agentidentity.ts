/** What the agent of a cluster is at the management API: the Cluster, a User with its rights, and its keys. */
import { agentName } from '../../../../pkg/management/clusters/join/agentname.js';
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { ifFound, type Client } from '../../connection/client.js';
import { Failure } from '../../failure.js';
import { managementObject } from '../../objects.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const RBAC_GROUP = 'rbac.authorization.k8s.io';
const GROUP = 'management.svc.example';
/** Label of what this program has made for the agent of a cluster. */
const AGENT_OF = `${GROUP}/agent-of`;
/** What an agent watches. */
const FOLLOWED = [
  'users',
  'teams',
  'ownedaccesskeys',
  'directclusterendpointtokenrevocations',
  'spaceinstances',
  'virtualclusterinstances',
];

const rolesPath = (plural: string, name: string): string =>
  `${RBAC}/${plural}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
const roleName = (cluster: string): string => `management-${agentName(cluster)}`;

/** Makes what is missing. Rejects with Failure where a name is taken by something else. */
export async function makeIdentity(client: Client, cluster: string, displayName?: string): Promise<void> {
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
  if (known !== undefined && known.metadata.labels?.[AGENT_OF] !== cluster)
    throw new Failure('conflict', `there is a user "${name}", which is not the agent of a cluster`, {
      advice: 'delete that user, or take another name for the cluster',
    });
  if (known !== undefined) return;
  const metadata = { name, labels: { [AGENT_OF]: cluster } };
  const spec = { displayName: `Agent of cluster ${cluster}` };
  await client.create({ resource: 'users' }, managementObject('User', metadata, { spec }));
}

async function dropRights(client: Client, cluster: string): Promise<void> {
  for (const plural of ['clusterrolebindings', 'clusterroles'])
    await ifFound(client.erase(rolesPath(plural, roleName(cluster))));
}

/** Removes all but the newest key of the agent; `all`: that, too. */
export async function removeKeys(client: Client, cluster: string, all: boolean): Promise<void> {
  const { items } = await client.get<{ readonly items: readonly OwnedAccessKey[] }>({
    resource: 'ownedaccesskeys',
  });
  const [newest, ...older] = items
    .filter(({ spec }) => spec?.user === agentName(cluster))
    .sort((one, other) => madeAt(other) - madeAt(one));
  for (const { metadata } of all && newest !== undefined ? [newest, ...older] : older)
    await ifFound(client.remove({ resource: 'ownedaccesskeys', name: metadata.name ?? '' }));
}

const madeAt = ({ metadata }: OwnedAccessKey): number => Date.parse(metadata.creationTimestamp ?? '');

/** Removes all that {@link makeIdentity} makes, and the keys. Whether there was anything. */
export async function removeIdentity(client: Client, cluster: string): Promise<boolean> {
  const found = await ifFound(client.remove({ resource: 'clusters', name: cluster }));
  const name = agentName(cluster);
  const user = await ifFound(client.get({ resource: 'users', name }));
  if (user?.metadata.labels?.[AGENT_OF] === cluster) {
    await removeKeys(client, cluster, true);
    await ifFound(client.remove({ resource: 'users', name }));
    await dropRights(client, cluster);
  }
  return found !== undefined || user !== undefined;
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
