/** What a project comes to: its namespace, and what its members may do there and with the project itself. */
import type { Project } from '../../../api/management.svc.example/v1/project.js';
import type { KubeObject } from '../../../api/resource.js';
import { MANAGED_BY } from '../access/accessroles.js';
import { PROJECT_LABEL, projectNamespace } from './names.js';
import { heldBy } from './released.js';
import { PROJECT_ADMIN } from './roles.js';

const RBAC = 'rbac.authorization.k8s.io';
const API_VERSION = 'management.svc.example/v1';
const TEAM = 'management:team:';
const EVERYONE = 'system:authenticated';
/** What the names of the RoleBindings of members begin with. */
export const MEMBER_BINDING_PREFIX = 'management:project-member:';
const LABELS = { [MANAGED_BY.label]: MANAGED_BY.value };

/**
 * Objects that the server keeps for a project. Their metadata are a name, labels, annotations and owners; the namespace
 * has no owner, as what owns it might be missed by mistake, and its users' work would be deleted for that.
 */
export interface ProjectObjects {
  readonly namespace: KubeObject;
  /** In the namespace: one for each ClusterRole that members have. */
  readonly roleBindings: readonly KubeObject[];
  /** What all members may do with the project itself: read it. Undefined where there are none. */
  readonly clusterRole: KubeObject | undefined;
  readonly clusterRoleBinding: KubeObject | undefined;
}

interface Subject {
  readonly apiGroup: string;
  readonly kind: 'User' | 'Group';
  readonly name: string;
}

/** Whether a RoleBinding of this name in a project's namespace is the server's. */
export const isMemberBinding = (name: string): boolean => name.startsWith(MEMBER_BINDING_PREFIX);

/** The name of the ClusterRole, and of its binding, by which members read a project. */
export const membersRoleName = (project: string): string => `management:projects:${project}:members`;

/** Whose name {@link membersRoleName} is; undefined for other names. */
export function projectOfMembersRole(name: string): string | undefined {
  return /^management:projects:([^:]+):members$/.exec(name)?.[1];
}

/** `prefix`: what the namespaces of projects begin with. The owner is an administrator in the namespace. */
export function projectObjects(project: Project, prefix: string): ProjectObjects {
  const { name = '', uid = '' } = project.metadata;
  const ownerReferences = [{ apiVersion: API_VERSION, kind: 'Project', name, uid }];
  const subjects = subjectsByRole(project);
  const members = distinct([...subjects.values()].flat());
  const metadata = { name: membersRoleName(name), labels: LABELS, ownerReferences };
  const roleBindings = [...subjects].map(([clusterRole, named]) =>
    binding('RoleBinding', clusterRole, named, {
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
    clusterRole: members.length === 0 ? undefined : readingRole(name, metadata),
    clusterRoleBinding:
      members.length === 0 ? undefined : binding('ClusterRoleBinding', metadata.name, members, metadata),
  };
}

function subjectsByRole({ spec = {} }: Project): Map<string, Subject[]> {
  const { owner: { user = '', team = '' } = {}, members = [] } = spec;
  const byRole = new Map<string, Subject[]>();
  const add = (clusterRole: string, subject: Subject): void => {
    byRole.set(clusterRole, distinct([...(byRole.get(clusterRole) ?? []), subject]));
  };
  if (user !== '') add(PROJECT_ADMIN, subjectOf('User', user));
  if (team !== '') add(PROJECT_ADMIN, subjectOf('Team', team));
  for (const { kind, name, clusterRole } of members) add(clusterRole, subjectOf(kind, name));
  return byRole;
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

function binding(
  kind: 'RoleBinding' | 'ClusterRoleBinding',
  role: string,
  subjects: readonly Subject[],
  metadata: KubeObject['metadata'],
): KubeObject {
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: role };
  return { kind, apiVersion: `${RBAC}/v1`, metadata, roleRef, subjects };
}

function readingRole(project: string, metadata: KubeObject['metadata']): KubeObject {
  const resources = ['projects', 'projects/clusters', 'projects/members'];
  const rule = {
    apiGroups: ['management.svc.example'],
    resourceNames: [project],
    resources,
    verbs: ['get'],
  };
  return { kind: 'ClusterRole', apiVersion: `${RBAC}/v1`, metadata, rules: [rule] };
}
