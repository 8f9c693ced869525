import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import { JoinTokens } from '../../../pkg/management/clusters/join/jointokens.js';
import { createSeal } from '../../../pkg/management/login/sealedcookie.js';
import type { UsedLogins } from '../../../pkg/management/login/usedlogins.js';
import { peopleOf } from '../../../pkg/management/standingrights/people.js';
import { servedStore } from '../../../pkg/registry/resourcestore.js';
import type { Parts } from './requestparts.js';

/** The tokens by which agents of clusters join. */
export const openJoinTokens = (
  {
    registry,
    identities,
    authorizer,
    pepper,
    accessKeys,
  }: Pick<Parts, 'registry' | 'identities' | 'authorizer' | 'pepper' | 'accessKeys'>,
  usedLogins: Pick<UsedLogins, 'use'>,
): JoinTokens =>
  new JoinTokens({
    seal: createSeal(pepper),
    usedLogins,
    authorizer,
    people: peopleOf(registry.cache, identities),
    lifetimes: accessKeys.lifetimes,
    clusters: servedStore(registry.stores, Cluster),
    users: servedStore(registry.stores, User),
    keys: servedStore(registry.stores, OwnedAccessKey),
  });
