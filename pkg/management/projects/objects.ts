/** What a project comes to: its namespace, and what its members may do there. */
import type { Project } from '../../../api/management.svc.example/v1/project.js';
import type { KubeObject } from '../../../api/resource.js';
import { MANAGED_BY, MEMBER_BINDING_PREFIX } from '../access/managednames.js';
import { PROJECT_LABEL, projectNamespace } from './names.js';
import { heldBy } from './released.js';
import { PROJECT_ADMIN } from './roles.js';

const RBAC = 'rbac.authorization.k8s.io';
const API_VERSION = 'management.svc.example/v1';
const TEAM = 'management:team:';
const EVERYONE = 'system:authenticated';
const LABELS = { [MANAGED_BY.label]: MANAGED_BY.value };

/**
 * Objects that the server keeps for a project. Their metadata are a name, labels, annotations and owners; the namespace
 * has no owner, as what owns it might be missed by mistake, and its users' work would be deleted for that.
 */
export interface ProjectObjects {
  readonly namespace: KubeObject;
  /** In the namespace: one for each ClusterRole that members have. */
  readonly roleBindings: readonly KubeObject[];
}

interface Subject {
  readonly apiGroup: string;
  readonly kind: 'User' | 'Group';
  readonly name: string;
}

/** `prefix`: what the namespaces of projects begin with. The owner is an administrator in the namespace. */
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

/** `*` is everyone who is authenticated. */
function subjectOf(kind: 'User' | 'Team', name: string): Subject {
  if (name === '*') return { apiGroup: RBAC, kind: 'Group', name: EVERYONE };
  if (kind === 'User') return { apiGroup: RBAC, kind: 'User', name };
  return { apiGroup: RBAC, kind: 'Group', name: TEAM + name };
}

const distinct = (subjects: readonly Subject[]): Subject[] => [
  ...new Map(subjects.map((subject) => [`${subject.kind}/${subject.name}`, subject])).values(),
];

function binding(role: string, subjects: readonly Subject[], metadata: KubeObject['metadata']): KubeObject {
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: role };
  return { kind: 'RoleBinding', apiVersion: `${RBAC}/v1`, metadata, roleRef, subjects };
}
