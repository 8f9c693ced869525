/** What members of projects get in the project's namespace. */
import {
  PROJECT_ADMIN,
  PROJECT_ROLES,
  PROJECT_USER,
  PROJECT_VIEWER,
} from '../../../management/projects/roles.js';
import type { PolicyRule } from '../rules.js';

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

/** Administrators make others members of these roles; users make and use instances; viewers see no secrets. */
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

/** A role with rules of its own, or one that collects those of roles with a label. */
export interface BootstrapRole {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules?: readonly PolicyRule[];
  /** Labels, each of which brings in the roles that have it with the value `true`. */
  readonly aggregates?: readonly string[];
}
