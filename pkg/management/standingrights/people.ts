import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Project } from '../../../api/management.svc.example/v1/project.js';
import { Team } from '../../../api/management.svc.example/v1/team.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import type { Identities } from '../people/identities/interface.js';
import type { Cache, ResourceCache } from '../../cache/interface.js';
import { cacheOf } from '../../registry/keys.js';
import type { People } from './standing.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { RightsChanges } from '../visibility/rightschanges.js';
import { StandingRights, type FollowedCache } from './standingrights.js';

type Caches = Pick<Cache, 'resource'>;

const ACCOUNTS = 'core/serviceaccounts';

/** Users, teams, access keys and projects from the caches. Throws RangeError if these kinds are not served. */
export function peopleOf(cache: Caches, identities: Identities): People {
  const keys = cacheOf(cache, OwnedAccessKey);
  const projects = cacheOf(cache, Project);
  const accounts = accountsIn(cache);
  return {
    identities,
    accessKey: (name) => keys.latest().get(name)?.object(),
    project: (name) => projects.latest().get(name)?.object(),
    ...(accounts !== undefined && {
      account: ({ namespace, name }) => accounts.latest().get(`${namespace}/${name}`)?.object(),
    }),
  };
}

/** What the rights of a server are decided by. */
export interface ServedRights {
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly identities: Identities;
  readonly visibility: { readonly rights: RightsChanges };
  readonly registry: { readonly cache: Caches };
}

/** The standing rights of one use. `others`: more caches whose objects they end with. Throws RangeError. */
export const standingRightsOf = (
  { authorizer, identities, visibility, registry: { cache } }: ServedRights,
  others: readonly FollowedCache[] = [],
): StandingRights =>
  new StandingRights({
    authorizer,
    people: peopleOf(cache, identities),
    rights: visibility.rights,
    others: [...peopleCaches(cache), ...others],
  });

/** Kinds whose objects may change the identity of a user, besides that user's own User. */
function peopleCaches(cache: Caches): FollowedCache[] {
  const accounts = accountsIn(cache);
  return [
    { resource: Team.plural, cache: cacheOf(cache, Team) },
    { resource: OwnedAccessKey.plural, cache: cacheOf(cache, OwnedAccessKey) },
    { resource: Project.plural, cache: cacheOf(cache, Project) },
    { resource: User.plural, cache: cacheOf(cache, User) },
    ...(accounts === undefined ? [] : [{ resource: 'serviceaccounts', cache: accounts }]),
  ];
}

/** Undefined where another API server has them. */
function accountsIn(cache: Caches): ResourceCache | undefined {
  try {
    return cache.resource(ACCOUNTS);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
