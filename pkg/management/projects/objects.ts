/** The objects of a project: its namespace, and the bindings of its members. */
import type { Project } from '../../../api/management.svc.example/v1/project.js';
import type { KubeObject } from '../../../api/resource.js';
import { MANAGED_BY, MEMBER_BINDING_PREFIX } from '../sharing/managednames.js';
import { PROJECT_LABEL, heldBy, projectNamespace } from './names.js';
import { PROJECT_ADMIN } from './roles.js';
import { TEAM_GROUP } from '../sharing/rights.js';

const RBAC = 'rbac.authorization.k8s.io';
const API_VERSION = 'management.svc.example/v1';
const EVERYONE = 'system:authenticated';
const LABELS = { [MANAGED_BY.label]: MANAGED_BY.value };

/**
 * Objects that the server manages for a project, with name, labels, annotations and owners in metadata. The namespace
 * has no owner: if a garbage collector failed to find the project by mistake, it would delete the users' work.
 */
export interface ProjectObjects {
  readonly namespace: KubeObject;
  /** One RoleBinding for each ClusterRole of members. */
  readonly roleBindings: readonly KubeObject[];
}

interface Subject {
  readonly apiGroup: string;
  readonly kind: 'User' | 'Group';
  readonly name: string;
}

/** `prefix`: that of all projects' namespaces. The owner is an administrator in the namespace. */
export function projectObjects(project: Project, prefix: string): ProjectObjects {
  const { name = '', uid = '' } = project.metadata;
  const ownerReferences = [{ apiVersion: API_VERSION, kind: 'Project', name, uid }];
  const subjects = subjectsByRole(project);
  const roleBindings = [...subjects].map(([clusterRole, named]) =>
    binding(clusterRole, named, {
      name: MEMBER_BINDING_PREFIX + clusterRole,
      labels: LABELS,
      ownerReferences,
    }),
  );
  return {
    namespace: {
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: {
        name: projectNamespace(prefix, name),
        labels: { [PROJECT_LABEL]: name },
        annotations: heldBy(uid),
      },
    },
    roleBindings,
  };
}

function subjectsByRole({ spec = {} }: Project): Map<string, Subject[]> {
  const { owner: { user = '', team = '' } = {}, members = [] } = spec;
  const byRole = new Map<string, Subject[]>();
  const add = (clusterRole: string, subject: Subject): void => {
    const named = byRole.get(clusterRole);
    if (named === undefined) byRole.set(clusterRole, [subject]);
    else named.push(subject);
  };
  if (user !== '') add(PROJECT_ADMIN, subjectOf('User', user));
  if (team !== '') add(PROJECT_ADMIN, subjectOf('Team', team));
  for (const { kind, name, clusterRole } of members) add(clusterRole, subjectOf(kind, name));
  return new Map([...byRole].map(([clusterRole, named]) => [clusterRole, distinct(named)]));
}

/** `*` stands for all authenticated users. */
function subjectOf(kind: 'User' | 'Team', name: string): Subject {
  if (name === '*') return { apiGroup: RBAC, kind: 'Group', name: EVERYONE };
  if (kind === 'User') return { apiGroup: RBAC, kind: 'User', name };
  return { apiGroup: RBAC, kind: 'Group', name: TEAM_GROUP + name };
}

const distinct = (subjects: readonly Subject[]): Subject[] => [
  ...new Map(subjects.map((subject) => [`${subject.kind}/${subject.name}`, subject])).values(),
];

function binding(role: string, subjects: readonly Subject[], metadata: KubeObject['metadata']): KubeObject {
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: role };
  return { kind: 'RoleBinding', apiVersion: `${RBAC}/v1`, metadata, roleRef, subjects };
}
