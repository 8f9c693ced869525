/** The services for virtual resources. */
import type { KubeObject } from '../../../api/resource.js';
import type { User } from '../../apimachinery/user.js';
import type { Authenticator } from '../../authentication/interface.js';
import { MADE_WITH, reportedKeyText } from '../../authentication/issuedtoken/madewith.js';
import type { Authorizer } from '../../authorization/interface.js';
import { getObject } from '../../registry/generic/get.js';
import type { RequestServices, ReviewedToken } from '../../registry/virtualresource.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { requestObjects } from './virtualresourceobjects.js';
import type { ResourceStores } from '../resources.js';

export interface RequestServiceParts {
  readonly stores: ResourceStores;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly issueToken: RequestServices['issueToken'];
  /** The audiences of tokens for this API. */
  readonly audiences: readonly string[];
  readonly lifetimes: RequestServices['lifetimes'];
}

export function requestServices({
  stores,
  authenticator,
  authorizer,
  issueToken,
  audiences: own,
  lifetimes,
}: RequestServiceParts): RequestServices {
  return {
    audiences: own.slice(0, 1),
    async authorize(user, attributes) {
      const { allowed, reason = '' } = await authorizer.authorize(user, attributes);
      return { allowed, reason };
    },
    rulesFor: async (user, namespace) => authorizer.rulesFor(user, namespace),
    async authenticate(token, audiences) {
      const found = await reviewToken(authenticator, token, { asked: audiences, own });
      return found.user === undefined ? found : { ...found, user: withKey(found.user, lifetimes) };
    },
    async read(resource, key) {
      return (await getObject(coreStore(stores, resource), key, '')).object();
    },
    issueToken,
    objects: requestObjects(stores),
    lifetimes,
  };
}

/** The newest object that this server has in memory. `path`: `namespace/name`. */
export function newestOf(stores: ResourceStores, resource: string, path: string): KubeObject | undefined {
  return coreStore(stores, resource).cache.latest().get(path)?.object();
}

function coreStore(stores: ResourceStores, resource: string): ResourceStore {
  const store = stores.find({ group: '', version: 'v1', resource });
  if (store === undefined) throw new Error(`${resource} are not served`);
  return store;
}

/** Tokens that name no audience are for this API. */
async function reviewToken(
  authenticator: Authenticator,
  token: string,
  { asked, own }: { readonly asked: readonly string[]; readonly own: readonly string[] },
): Promise<ReviewedToken> {
  const wanted = asked.length > 0 ? asked : own;
  const found = await authenticator.authenticate({
    authorization: `Bearer ${token}`,
    certificate: undefined,
    rawHeaders: [],
    audiences: wanted,
  });
  if (found.outcome !== 'user') return { user: undefined, error: 'invalid bearer token' };
  // The reviewer could not enforce the scope.
  if (found.user.scope !== undefined) return { user: undefined, error: 'the access key has a scope' };
  const audiences = found.audiences ?? wanted.filter((audience) => own.includes(audience));
  if (audiences.length > 0) return { user: found.user, audiences };
  return { user: undefined, error: 'the token is for none of the audiences' };
}

/** Adds the access key of a credential to the user, so that a front proxy passes it on with each request. */
function withKey(user: User, lifetimes: RequestServices['lifetimes']): User {
  const key = lifetimes.keyOf(user);
  if (key === undefined) return user;
  const kind = user.credential?.accessKey === undefined ? 'token' : 'key';
  return { ...user, extra: { ...user.extra, [MADE_WITH]: [reportedKeyText({ kind, key })] } };
}
