/** The rights of a project's members in the namespaces of its spaces: RoleBindings in the connected cluster. */
import { USER_PREFIX } from '../../../../api/management.svc.example/clusterusers.js';
import type { GroupRule } from '../../../../api/management.svc.example/v1/grouprules/grouprule.js';
import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import { membersOf } from '../../../apimachinery/encoding/members.js';
import type { WantedCondition } from '../../../controllers/condition.js';
import { sameJson } from '../../../registry/object/metadata.js';
import type { ClusterAnswer, ClusterRequest, Connection } from '../../clusters/client/interface.js';
import { isInProject, ruleGroup } from '../../grouprules/ruleset.js';
import { teamGroup } from '../../people/identities/known.js';
import { listedMembers } from '../../projects/members/listed.js';
import { PROJECT_ADMIN, PROJECT_USER } from '../../projects/roles.js';
import { MANAGED_BY } from '../../sharing/managednames.js';

const RBAC = 'rbac.authorization.k8s.io';
/** Roles in projects that may use spaces, and the ClusterRole of Kubernetes that they have there. */
const ROLES = [
  { clusterRole: PROJECT_ADMIN, role: 'admin' },
  { clusterRole: PROJECT_USER, role: 'edit' },
] as const;
/** The maximum bytes of the bindings of one namespace. */
const MAX_BYTES = 1024 * 1024;
const TYPE = 'MembersBound';

interface Subject {
  readonly apiGroup: typeof RBAC;
  readonly kind: 'User' | 'Group';
  readonly name: string;
}

/** The members of a project who have a ClusterRole in its spaces. */
export interface SpaceMembers {
  readonly role: string;
  readonly subjects: readonly Subject[];
}

/** As the cluster names them. `rules`: also of other projects. */
export function spaceMembers(
  project: Pick<Project, 'metadata' | 'spec'>,
  rules: Iterable<GroupRule>,
): SpaceMembers[] {
  const listed = listedMembers(project.spec ?? {}).map(({ kind, name, clusterRoles = [] }) => ({
    clusterRoles,
    subject: kind === 'Team' ? subject('Group', teamGroup(name)) : subject('User', name),
  }));
  const byRules = Array.from(rules).flatMap((rule) =>
    isInProject(rule, project)
      ? [{ clusterRoles: [rule.spec.clusterRole], subject: subject('Group', ruleGroup(rule)) }]
      : [],
  );
  return ROLES.map(({ clusterRole, role }) => ({
    role,
    subjects: [...listed, ...byRules].flatMap((one) =>
      one.clusterRoles.includes(clusterRole) ? [one.subject] : [],
    ),
  }));
}

const subject = (kind: Subject['kind'], name: string): Subject => ({
  apiGroup: RBAC,
  kind,
  name: USER_PREFIX + name,
});

/** Gives them their rights in a namespace that the server made, and others none. Throws StatusError 504. */
export async function bindMembers(
  connection: Connection,
  namespace: string,
  wanted: readonly SpaceMembers[],
): Promise<WantedCondition> {
  const path = `/apis/${RBAC}/v1/namespaces/${encodeURIComponent(namespace)}/rolebindings`;
  const selector = encodeURIComponent(`${MANAGED_BY.label}=${MANAGED_BY.value}`);
  const list = { method: 'GET', path: `${path}?labelSelector=${selector}`, maxBytes: MAX_BYTES } as const;
  const found = await connection.request(list);
  if (found.status !== 200) return refused(namespace, found);
  const bindings = bindingsIn(found);
  for (const request of wanted.flatMap((members) => changes(path, members, bindings))) {
    const answer = await connection.request(request);
    if (answer.status >= 300 && answer.status !== 404) return refused(namespace, answer);
  }
  return { type: TYPE, status: 'True', reason: 'Bound', message: '' };
}

/** The state of a namespace that the server did not make: its members have what its owner gives them. */
export const notOurs = (namespace: string): WantedCondition => ({
  type: TYPE,
  status: 'False',
  reason: 'NamespaceOfOthers',
  message: `namespace ${namespace} was there before the space: an administrator of the cluster gives rights in it`,
});

const refused = (namespace: string, { status }: ClusterAnswer): WantedCondition => ({
  type: TYPE,
  status: 'False',
  reason: 'Refused',
  message: `the cluster refuses RoleBindings in namespace ${namespace} (${status}): members have no rights there until its administrator gives the server the rights of "Rights in the cluster" in the documentation, or binds the members`,
});

type Bindings = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

function bindingsIn({ object }: ClusterAnswer): Bindings {
  const items = Array.isArray(object.items) ? object.items.map(membersOf) : [];
  return new Map(items.map((one) => [String(membersOf(one.metadata).name), one]));
}

/** What makes the binding of these members as it should be. */
function changes(path: string, { role, subjects }: SpaceMembers, bindings: Bindings): ClusterRequest[] {
  const name = `management-members-${role}`;
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: role };
  const found = bindings.get(name);
  const isRole = found !== undefined && sameJson(found.roleRef, roleRef);
  if (isRole && subjects.length > 0 && sameJson(found.subjects, subjects)) return [];
  const own = `${path}/${name}`;
  if (isRole && subjects.length > 0)
    return [{ method: 'PATCH', path: own, body: { subjects }, contentType: 'application/merge-patch+json' }];
  const metadata = { name, labels: { [MANAGED_BY.label]: MANAGED_BY.value } };
  const body = { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects };
  return [
    ...(found === undefined ? [] : [{ method: 'DELETE', path: own } as const]),
    ...(subjects.length === 0 ? [] : [{ method: 'POST', path, body } as const]),
  ];
}
