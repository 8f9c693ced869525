/** Whether a User has the rights of an administrator, whom no weaker proof than an invitation connects to a login. */
import type { Authorizer } from '../../authorization/interface.js';
import type { Identities } from './identities/interface.js';

const ANYWHERE = { kind: 'resource', version: 'v1', subresource: '', namespace: '', name: '' } as const;

/** Any of these gives all the others. */
const RIGHTS = [
  { ...ANYWHERE, verb: '*', group: '*', resource: '*' },
  { ...ANYWHERE, verb: 'impersonate', group: '', resource: 'users' },
  { ...ANYWHERE, verb: 'impersonate', group: '', resource: 'groups' },
  { ...ANYWHERE, verb: 'escalate', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
  { ...ANYWHERE, verb: 'bind', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
];

/** By the rights of a request that the User would make now. Rejects if these cannot be determined. */
export const administrators =
  (authorizer: Pick<Authorizer, 'authorize'>, identities: Identities) =>
  async (name: string): Promise<boolean> => {
    const { uid = '', groups = [] } = identities.user(name) ?? {};
    for (const right of RIGHTS)
      if ((await authorizer.authorize({ name, uid, groups, extra: {} }, right)).allowed) return true;
    return false;
  };
