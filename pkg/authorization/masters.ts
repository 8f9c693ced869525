import { AUTHENTICATED, MASTERS } from '../authentication/groups.js';
import { ANONYMOUS, type User } from '../authentication/interface.js';
import type { Attributes, Authorizer, PathRule, Rules } from './interface.js';

/** `/api`, `/apis`, `/api/V`, `/apis/G`, `/apis/G/V`, also with a slash at the end: documents, never objects. */
const DISCOVERY = /^\/(api(\/[^/]+)?|apis(\/[^/]+){0,2})\/?$/;
const OPENAPI = /^\/openapi(\/.*)?$/;
const PUBLIC = /^\/(version\/?|(healthz|livez|readyz)(\/.*)?)$/;

/** What everybody may ask about themselves, by group: the ClusterRole `system:basic-user` of Kubernetes. */
const SELF_REVIEWS: Readonly<Record<string, readonly string[]>> = {
  'authentication.k8s.io': ['selfsubjectreviews'],
  'authorization.k8s.io': ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
};

/**
 * `system:masters` may do all. Known users may read discovery and OpenAPI and ask about themselves, everyone may read
 * the version and health: what the ClusterRoles `system:discovery`, `system:basic-user` and `system:public-info-viewer`
 * of Kubernetes grant.
 */
export function mastersAuthorizer(): Authorizer {
  return {
    authorize(user, attributes) {
      const allowed = user.groups.includes(MASTERS) || mayRead(user, attributes);
      return allowed ? { allowed } : { allowed, reason: '' };
    },
    visible: (user) => ({ objects: user.groups.includes(MASTERS) ? 'all' : 'none' }),
    rulesFor(user) {
      if (user.groups.includes(MASTERS)) return EVERYTHING;
      return isKnown(user) ? BASIC : { ...NOTHING, nonResourceRules: [readPaths(PUBLIC_PATHS)] };
    },
  };
}

const readPaths = (nonResourceURLs: readonly string[]): PathRule => ({ verbs: ['get'], nonResourceURLs });
const PUBLIC_PATHS = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const DISCOVERY_PATHS = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'];
const NOTHING: Rules = { resourceRules: [], nonResourceRules: [], incomplete: false };
const EVERYTHING: Rules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};
const BASIC: Rules = {
  resourceRules: Object.entries(SELF_REVIEWS).map(([group, resources]) => {
    return { verbs: ['create'], apiGroups: [group], resources, resourceNames: [] };
  }),
  nonResourceRules: [readPaths([...PUBLIC_PATHS, ...DISCOVERY_PATHS])],
  incomplete: false,
};

const isKnown = (user: User): boolean => user.name !== ANONYMOUS.name && user.groups.includes(AUTHENTICATED);

function mayRead(user: User, attributes: Attributes): boolean {
  if (attributes.kind === 'resource') {
    const asksAboutSelf = SELF_REVIEWS[attributes.group]?.includes(attributes.resource) === true;
    return asksAboutSelf && attributes.verb === 'create' && attributes.subresource === '' && isKnown(user);
  }
  if (attributes.verb !== 'get') return false;
  if (PUBLIC.test(attributes.path)) return true;
  if (!isKnown(user)) return false;
  return DISCOVERY.test(attributes.path) || OPENAPI.test(attributes.path);
}
