/** Tokens by which agents join: sealed, for one use within 15 minutes, and only while their maker has the right. */
import { IMPERSONATED_USERS, requestFor } from '../../../apimachinery/attributes.js';
import { randomBytes } from 'node:crypto';
import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { asKind, clusterScoped, type KubeObject } from '../../../../api/resource.js';
import { generateName } from '../../../apimachinery/names.js';
import type { KeyFingerprint, User as Caller } from '../../../apimachinery/user.js';
import type { Authorizer } from '../../../authorization/interface.js';
import { readStored, type ResourceStore } from '../../../registry/resourcestore.js';
import type { KeyLifetimes } from '../../accesskeys/authentication/lifetime.js';
import { credentialOf } from '../../accesskeys/unlimited.js';
import { createAccessKey, type LoginKey } from '../../login/accesskey.js';
import { LoginFailure } from '../../login/interface.js';
import type { Seal } from '../../login/sealedcookie.js';
import type { UsedLogins } from '../../login/usedlogins.js';
import { holderOf, standingOf, type Holder, type People } from '../../standingrights/standing.js';
import { agentName } from './agentname.js';

/** The life of a token. */
export const JOIN_MS = 15 * 60_000;
const PURPOSE = 'cluster join';

/** What is sealed in a token. */
interface Join {
  readonly id: string;
  readonly cluster: string;
  /** Of the Cluster, and of the user of its agent. */
  readonly uids: readonly [string, string];
  /** Its maker. */
  readonly holder: Holder;
  /** The access key that the maker used: the token ends with it. */
  readonly madeWith?: KeyFingerprint;
}

export interface JoinTokenParts {
  readonly seal: Seal;
  readonly usedLogins: Pick<UsedLogins, 'use'>;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly people: People;
  readonly lifetimes: Pick<KeyLifetimes, 'madeWith' | 'madeWithEnd'>;
  readonly clusters: ResourceStore;
  readonly users: ResourceStore;
  readonly keys: ResourceStore;
}

export class JoinTokens {
  constructor(private readonly parts: JoinTokenParts) {}

  /** For the Cluster and the user with these uids. */
  make(cluster: string, uids: Join['uids'], maker: Caller): string {
    const { seal, people, lifetimes } = this.parts;
    const holder = holderOf(maker, people, Date.now());
    const credential = credentialOf(maker);
    const madeWith = credential && lifetimes.madeWith(credential);
    const join: Join = {
      id: randomBytes(16).toString('base64url'),
      cluster,
      uids,
      holder,
      ...(madeWith && { madeWith }),
    };
    return seal.seal(PURPOSE, join, JOIN_MS);
  }

  /** Whether a user may make such a token: `create` `clusters/join`, and `impersonate` the user of the agent. */
  async allows(user: Caller, cluster: string): Promise<boolean> {
    const rights = [
      requestFor('create', Cluster, { name: cluster, subresource: 'join' }),
      requestFor('impersonate', IMPERSONATED_USERS, { name: agentName(cluster) }),
    ];
    for (const right of rights)
      if (!(await this.parts.authorizer.authorize(user, right)).allowed) return false;
    return true;
  }

  /**
   * A new access key of the user of the agent of `cluster`, for the token of that cluster. Rejects with LoginFailure 400 and 403,
   * without making a key.
   */
  async redeem(token: string, cluster: string): Promise<LoginKey> {
    const { seal, usedLogins, people, lifetimes, clusters, users, keys } = this.parts;
    const join = seal.open<Join>(PURPOSE, token);
    if (join === undefined || join.cluster !== cluster) throw over(cluster);
    const user = agentName(cluster);
    const current = [
      uidOf(Cluster, await readStored(clusters, clusterScoped(cluster))),
      uidOf(User, await readStored(users, clusterScoped(user))),
    ];
    if (join.uids.some((uid, at) => uid !== current[at])) throw over(cluster);
    if (join.madeWith !== undefined && lifetimes.madeWithEnd(join.madeWith) <= Date.now())
      throw new LoginFailure(403, 'The access key that made the join token has ended: get another token.');
    const maker = standingOf(join.holder, people, Date.now());
    if ('gone' in maker || !(await this.allows(maker.user, cluster)))
      throw new LoginFailure(403, `Who made the join token may not let agents of ${cluster} join any more.`);
    // What leads to no key leaves no record.
    if (!(await usedLogins.use(`join ${join.id}`))) throw over(cluster);
    const displayName = `Agent of cluster ${cluster}`;
    return createAccessKey(
      keys,
      generateName(`${user}-`),
      { user, type: 'Other', displayName },
      'cluster-join',
    );
  }
}

interface Stored {
  object(): KubeObject;
}

/** Undefined: there is none, or it is being deleted. */
function uidOf(kind: typeof Cluster | typeof User, stored: Stored | undefined): string | undefined {
  const { uid, deletionTimestamp } = asKind(kind, stored?.object())?.metadata ?? {};
  return deletionTimestamp === undefined ? uid : undefined;
}

const over = (cluster: string): LoginFailure =>
  new LoginFailure(
    400,
    `The join token was used before, is too old, or is for another cluster: get another with "platform connect cluster ${cluster}".`,
    'invalid_grant',
  );
