import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { ClusterJoin } from '../../../../api/management.svc.example/v1/clusterjoin.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { clusterScoped } from '../../../../api/resource.js';
import { forbidden, notFound, quote } from '../../../apimachinery/errors.js';
import { timestamp } from '../../../registry/object/metadata.js';
import { ISSUED_CREDENTIAL, type VirtualResource } from '../../../registry/virtualresource.js';
import type { ManagementServices } from '../../services.js';
import { agentName } from './agentname.js';
import { JOIN_MS } from './jointokens.js';

/** A join token, for users who may impersonate the user of the agent, and whose credentials may outlive their own. */
export const kind: VirtualResource<typeof ClusterJoin, ManagementServices> = {
  definition: ClusterJoin,
  below: { definition: Cluster, subresource: 'join' },
  async answer(object, { name, user, services, write, annotate }) {
    const cluster = await services.objects.live(Cluster, clusterScoped(name));
    if (cluster === undefined) throw notFound(Cluster, name);
    const agent = await services.objects.live(User, clusterScoped(agentName(name)));
    if (agent === undefined) throw notFound(User, agentName(name));
    if (!(await services.joinTokens.allows(user, name)))
      throw forbidden(Cluster, name, `User ${quote(user.name)} cannot impersonate ${quote(agentName(name))}`);
    const { lifetimes } = services;
    if ((await lifetimes.endFor(user)) !== undefined || (await lifetimes.madeWithFor(user)) !== undefined)
      throw forbidden(
        Cluster,
        name,
        'the key of an agent outlives the credential in use: this takes "create" on ownedaccesskeys/unlimited',
      );
    object.metadata = { name, creationTimestamp: timestamp() };
    if (write.dryRun) return object;
    const uids = [cluster.metadata.uid ?? '', agent.metadata.uid ?? ''] as const;
    const token = services.joinTokens.make(name, uids, user);
    annotate(ISSUED_CREDENTIAL, `join token of cluster ${name}`);
    object.status = { token, expirationTimestamp: timestamp(Date.now() + JOIN_MS) };
    return object;
  },
};
