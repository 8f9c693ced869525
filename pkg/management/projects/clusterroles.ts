/** ClusterRoles of members of projects, bound in the project's namespace. */
import { PROJECT_ADMIN, PROJECT_ROLES, PROJECT_USER, PROJECT_VIEWER } from './roles.js';
import type { BootstrapRole } from '../../registry/rbac/bootstrap/roles.js';
import type { PolicyRule } from '../../registry/rbac/rules.js';

const GROUP = 'management.svc.example';
const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const INSTANCES = ['spaceinstances', 'virtualclusterinstances'];
const KUBECONFIG = ['virtualclusterinstances/kubeconfig'];

const rule = (apiGroup: string, resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [apiGroup],
  resources: [...resources],
  verbs: [...verbs],
});

/** The roles that administrators may give to members; users create and use instances; viewers cannot read secrets. */
export const PROJECT_MEMBER_ROLES: readonly BootstrapRole[] = [
  {
    name: PROJECT_ADMIN,
    rules: [
      rule(GROUP, [...INSTANCES, 'projectsecrets', 'sharedsecrets'], [...READ, ...WRITE, 'use']),
      rule(GROUP, KUBECONFIG, ['get', 'create']),
      rule('', ['secrets', 'configmaps', 'serviceaccounts'], [...READ, ...WRITE]),
      rule('', ['events'], READ),
      rule(RBAC, ['roles', 'rolebindings'], [...READ, ...WRITE]),
      { ...rule(RBAC, ['clusterroles'], ['bind']), resourceNames: [...PROJECT_ROLES] },
    ],
  },
  {
    name: PROJECT_USER,
    rules: [
      rule(GROUP, INSTANCES, [...READ, 'create', 'use']),
      rule(GROUP, KUBECONFIG, ['get', 'create']),
      rule(GROUP, ['projectsecrets'], READ),
      rule('', ['configmaps', 'events'], READ),
    ],
  },
  {
    name: PROJECT_VIEWER,
    rules: [rule(GROUP, INSTANCES, READ), rule('', ['configmaps', 'events'], READ)],
  },
];
