import { AUTHENTICATED, MASTERS } from '../authentication/groups.js';
import { ANONYMOUS, type User } from '../authentication/interface.js';
import type { Attributes, Authorizer } from './interface.js';

/** `/api`, `/apis`, `/api/V`, `/apis/G`, `/apis/G/V`, also with a slash at the end: documents, never objects. */
const DISCOVERY = /^\/(api(\/[^/]+)?|apis(\/[^/]+){0,2})\/?$/;
const OPENAPI = /^\/openapi(\/.*)?$/;
const PUBLIC = /^\/(version\/?|(healthz|livez|readyz)(\/.*)?)$/;

/**
 * `system:masters` may do all. Known users may read discovery and OpenAPI, everyone the version and health: what the
 * ClusterRoles `system:discovery` and `system:public-info-viewer` of Kubernetes grant.
 */
export function mastersAuthorizer(): Authorizer {
  return {
    authorize(user, attributes) {
      const allowed = user.groups.includes(MASTERS) || mayRead(user, attributes);
      return allowed ? { allowed } : { allowed, reason: '' };
    },
  };
}

function mayRead(user: User, attributes: Attributes): boolean {
  if (attributes.kind !== 'path' || attributes.verb !== 'get') return false;
  if (PUBLIC.test(attributes.path)) return true;
  if (user.name === ANONYMOUS.name || !user.groups.includes(AUTHENTICATED)) return false;
  return DISCOVERY.test(attributes.path) || OPENAPI.test(attributes.path);
}
