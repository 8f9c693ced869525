/** The agent's state of the management API, watched together. */
import type { JWK } from 'jose';
import { DirectClusterEndpointTokenRevocation } from '../../../api/management.svc.example/v1/directclusterendpointtokenrevocation.js';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import { Team } from '../../../api/management.svc.example/v1/team.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { HostClient } from '../../hostclient/interface.js';
import type { Freshness, Places } from '../interface.js';
import { accessKeyEnds, type AccessKeyEnds } from './accesskeys.js';
import { ManagementClock } from './clock.js';
import { follow, type ObjectSink } from './follow.js';
import { freshnessOf } from './freshness.js';
import { people, type People } from './people.js';
import { followedPlaces } from './places.js';
import { tokenRevocations, type Revocations } from './revocations.js';
import { followKeys } from './signingkeys.js';

export interface ManagementSettings {
  readonly client: HostClient;
  /** The name of the agent's Cluster. */
  readonly cluster: string;
  readonly projectNamespacePrefix: string;
  /** Called with the reason when something cannot be watched. */
  readonly failed: (why: string) => void;
}

export interface Management {
  readonly identities: People;
  readonly accessKeys: AccessKeyEnds;
  readonly revocations: Revocations;
  readonly places: Places;
  /** The age of revocations and places; Infinity until the keys are known. */
  readonly freshness: Freshness;
  readonly clock: ManagementClock;
  /** By `kid`; a new object after each change. */
  keys(): ReadonlyMap<string, JWK>;
  /** Resolves when nothing is in flight any more. */
  stop(): Promise<void>;
}

const REVOCATIONS = DirectClusterEndpointTokenRevocation.plural;
const BASE = '/apis/management.svc.example/v1';

/** Begins at once; `freshness` shows when everything is known. */
export function followManagement(settings: ManagementSettings): Management {
  const { cluster, projectNamespacePrefix, failed } = settings;
  const clock = new ManagementClock();
  const client = comparing(settings.client, clock);
  const stopping = new AbortController();
  const { signal } = stopping;
  const identities = people();
  const accessKeys = accessKeyEnds();
  const revocations = tokenRevocations();
  const places = followedPlaces(cluster, projectNamespacePrefix);
  const here = `?${new URLSearchParams({ fieldSelector: `spec.clusterRef.cluster=${cluster}` }).toString()}`;
  const followed: Readonly<Record<string, ObjectSink>> = {
    [User.plural]: identities.users,
    [Team.plural]: identities.teams,
    [OwnedAccessKey.plural]: accessKeys.keys,
    [REVOCATIONS]: revocations.revocations,
    [SpaceInstance.plural + here]: places.spaces,
    [VirtualClusterInstance.plural + here]: places.virtualClusters,
  };
  const freshness = freshnessOf(Object.keys(followed));
  let keys: ReadonlyMap<string, JWK> = new Map();
  const running = Object.entries(followed).map(([part, sink]) =>
    follow({
      client,
      sink,
      signal,
      failed,
      path: `${BASE}/${part}`,
      connected: (is) => freshness.connected(part, is, performance.now()),
    }),
  );
  running.push(
    followKeys({
      client,
      signal,
      failed,
      changed: (changed) => (keys = changed),
      immediately: () => clock.jumped,
    }),
  );
  return {
    identities,
    accessKeys,
    revocations,
    places,
    clock,
    freshness: { age: (now) => (keys.size === 0 ? Infinity : freshness.age(now)) },
    keys: () => keys,
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** The `Date` of each response is compared with this machine's clock. */
const comparing = (client: HostClient, clock: ManagementClock): HostClient => ({
  ...client,
  async send(request) {
    const began = performance.now();
    const answer = await client.send(request);
    if (answer.date !== undefined) clock.observe(answer.date, performance.now() - began);
    return answer;
  },
});
