import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { loadIdentity, type ClusterIdentity } from '../../../pkg/clusteridentity/cluster.js';
import type { AdminKeys } from '../../../pkg/management/administrators/adminkeys.js';
import { tokenSigner, type SignToken } from '../../../pkg/authentication/issuedtoken/sign.js';
import { openSigningKeys, type SigningKeys } from '../../../pkg/clusteridentity/signingkeys.js';
import { addressPolicy } from '../../../pkg/management/clusters/client/addresspolicy.js';
import { ownTokens, type OwnToken } from '../../../pkg/management/directtokens/owntokens.js';
import type { ClusterSources } from '../../../pkg/management/clusters/client/clusters.js';
import type { ClusterClient } from '../../../pkg/management/clusters/client/interface.js';
import { ClusterRights } from '../../../pkg/management/clusters/clusterrights.js';
import { standingRightsOf } from '../../../pkg/management/standingrights/people.js';
import { storeOf, type ResourceStore } from '../../../pkg/registry/resourcestore.js';
import { clusterTunnels, type Tunnels } from '../../../pkg/tunnel/tunnels.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { openAccessKeys, type AccessKeys } from '../../../pkg/management/openaccesskeys.js';
import type { ShutdownHooks } from './shutdownhooks.js';
import { openClusters } from '../../../pkg/management/clusters/client/openclusters.js';
import type { Operations } from './telemetry.js';
import type { OpenServed, Served } from '../../../pkg/management/registries.js';
import { accountTokenIssuer } from '../../../pkg/server/handlers/accounttokens.js';
import type { RequestServices } from '../../../pkg/registry/virtualresource.js';

/** The parts of the request path that need the store. */
export interface State extends Served {
  readonly storage: Storage;
  readonly identity: ClusterIdentity;
  readonly signingKeys: SigningKeys;
  /** The issuer of tokens. */
  readonly issuerUrl: () => string;
  readonly sign: SignToken;
  readonly issueAccountToken: RequestServices['issueToken'];
  readonly accessKeys: AccessKeys;
  readonly clusters: ClusterClient;
  readonly tunnels: Tunnels;
  readonly clusterRights: ClusterRights;
}

export interface StateOptions {
  readonly open: OpenServed;
  /** How long to wait for the store, in ms; absent: without limit. */
  readonly giveUpMs?: number;
  /** Absent: there are none. */
  readonly adminKeys?: AdminKeys;
  /** Reads Secrets that are not stored here. */
  readonly secret?: ClusterSources['secret'];
  /** The Cluster object of the host's cluster. */
  readonly local?: ClusterSources['local'];
}

/**
 * Loads the store. Rejects with StorageError, and Error for records of a newer release; `shutdownHooks` then
 * close what is open.
 */
export async function openState(
  { config, report, address }: Operations,
  shutdownHooks: ShutdownHooks,
  storage: Storage,
  { open, giveUpMs, secret, adminKeys, local }: StateOptions,
): Promise<State> {
  const identity = await loadIdentity(storage);
  const signingKeys = await openSigningKeys(storage, {
    lifeMs: config.issuing.keyLifeMs,
    failed: (error) => report('the signing keys are not kept', error),
  });
  shutdownHooks.push(() => signingKeys.close());
  const { pepper } = identity;
  const limit = giveUpMs === undefined ? {} : { giveUpMs };
  const { audiences, issuer } = config.issuing;
  const issuerUrl = (): string => issuer ?? address.url;
  const sign = tokenSigner(signingKeys, issuerUrl);
  const issueAccountToken = accountTokenIssuer(sign, audiences);
  const { settings, ownCertificate } = config;
  const authority = (): string => ownCertificate?.().certificate ?? identity.authority.certificate;
  const accountTokens = { issue: issueAccountToken, authority };
  const served = await open(storage, { ...limit, report, pepper, settings, accountTokens });
  const { registry, identities } = served;
  shutdownHooks.push(() => registry.close());
  const accessKeys = openAccessKeys(
    registry,
    identities,
    { pepper, ...(adminKeys && { adminKeys }) },
    (error) => {
      report('the last use of access keys is not written', error);
    },
  );
  shutdownHooks.push(() => accessKeys.stop());
  const clusterRights = new ClusterRights(storage, standingRightsOf(served));
  const tunnels = clusterTunnels((name) => uidOfCluster(registry.stores, name));
  const clusters = openClusters(registry.stores, {
    policy: addressPolicy(config.clusterNetworks),
    rights: clusterRights,
    secret,
    local,
    dial: tunnels.dial,
    agents: tunnels.agents,
    followAgents: tunnels.follow,
    byAgent: agentWays(tunnels, ownTokens(sign, identities)),
  });
  shutdownHooks.push(() => clusters.close());
  const credentials = { identity, signingKeys, issuerUrl, sign, issueAccountToken, accessKeys };
  return { ...served, ...credentials, storage, clusters, tunnels, clusterRights };
}

/** The address of the client of such requests is this server's. */
const agentWays =
  ({ agents, upstream }: Tunnels, token: OwnToken): ClusterSources['byAgent'] =>
  (cluster) => {
    const { user } = agents(cluster) ?? {};
    if (user === undefined) return undefined;
    // Another user's agent may be connected by then.
    return { token: () => token(cluster, agents(cluster)?.user ?? user), open: upstream(cluster, '').open };
  };

/** By the current cache. */
const uidOfCluster = (stores: readonly ResourceStore[], name: string): string | undefined =>
  storeOf(stores, Cluster)?.cache.latest().get(name)?.object().metadata.uid;
