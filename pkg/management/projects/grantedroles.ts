/** GrantedRoles: members of projects and instances, and people by group rules, can only get ClusterRoles that the writer may bind. */
import { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { Project } from '../../../api/management.svc.example/v1/project.js';
import { asKind, type KubeObject } from '../../../api/resource.js';
import { forbidden, quote } from '../../apimachinery/errors.js';
import { projectNamespace } from './names.js';
import { PROJECT_ROLES } from './roles.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import type { Instance } from '../asinstance.js';
import { ownerOf } from '../sharing/owner.js';
import type { Settings } from '../settings.js';
import type { Requester } from '../../registry/requester.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { TEAM_GROUP } from '../sharing/rights.js';
import { requestFor } from '../../apimachinery/attributes.js';

const GROUP = 'management.svc.example';
const RBAC = 'rbac.authorization.k8s.io';

/** Only changes are checked. The owner of a project may give members the roles for projects. */
export function grantedRoles(authorizer: Pick<Authorizer, 'authorize'>, settings: Settings): AdmissionPlugin {
  return {
    name: 'GrantedRoles',
    concerns: kindsOf(GROUP),
    async validate(attributes, object, previous) {
      const { definition, subresource, name, requester } = attributes;
      if (subresource !== '' || object === undefined) return;
      const namespace = placeOf(attributes, object, settings);
      const free = freeRoles(previous ?? object, requester);
      for (const role of addedRoles(object, previous))
        if (!free.includes(role))
          await demandBind(authorizer, { definition, name, requester }, role, namespace);
    },
  };
}

type Writing = Pick<AdmissionAttributes, 'definition' | 'name' | 'requester'>;

/** Throws StatusError 403 unless the writer may give a member of a project this role. */
export type DemandRole = (write: Writing, project: Project, role: string) => Promise<void>;

export const demandRole =
  (authorizer: Pick<Authorizer, 'authorize'>, { projectNamespacePrefix }: Settings): DemandRole =>
  async (write, project, role) => {
    if (freeRoles(project, write.requester).includes(role)) return;
    const namespace = projectNamespace(projectNamespacePrefix, project.metadata.name ?? '');
    await demandBind(authorizer, write, role, namespace);
  };

const CLUSTER_ROLES = { group: RBAC, version: '*', plural: 'clusterroles' };

async function demandBind(
  authorizer: Pick<Authorizer, 'authorize'>,
  { definition, name, requester }: Writing,
  role: string,
  namespace: string,
): Promise<void> {
  const asked = requestFor('bind', CLUSTER_ROLES, { namespace, name: role });
  if ((await authorizer.authorize(requester, asked)).allowed) return;
  const what = `clusterroles.${RBAC} ${quote(role)} in namespace ${quote(namespace)}`;
  throw forbidden(definition, name, `User ${quote(requester.name)} cannot bind ${what}`);
}

/** The namespace of the bindings. */
function placeOf(
  { definition, namespace, name }: AdmissionAttributes,
  object: KubeObject,
  { projectNamespacePrefix: prefix }: Settings,
): string {
  if (definition.kind === 'Project') return projectNamespace(prefix, name);
  if (definition.kind !== 'GroupRule') return namespace;
  return projectNamespace(prefix, asKind(GroupRule, object).spec.project ?? '');
}

function freeRoles(project: KubeObject, { name, groups }: Requester): readonly string[] {
  if (project.kind !== 'Project') return [];
  const { user = '', team = '' } = ownerOf(project) ?? {};
  const owns = user === name || (team !== '' && groups.includes(TEAM_GROUP + team));
  return owns ? PROJECT_ROLES : [];
}

function addedRoles(object: KubeObject, previous: KubeObject | undefined): Set<string> {
  const before = new Set(previous === undefined ? [] : grantsOf(previous).map(({ key }) => key));
  return new Set(
    grantsOf(object)
      .filter(({ key }) => !before.has(key))
      .map(({ role }) => role),
  );
}

interface Grant {
  readonly role: string;
  /** The role and its subject. */
  readonly key: string;
}

function grantsOf(object: KubeObject): Grant[] {
  if (object.kind === 'Project') {
    const { members = [] } = asKind(Project, object).spec ?? {};
    return members.map(({ kind, name, clusterRole: role }) => ({
      role,
      key: JSON.stringify([role, kind, name]),
    }));
  }
  if (object.kind === 'GroupRule') {
    const { description: _, ...conditions } = asKind(GroupRule, object).spec;
    const { clusterRole: role = '' } = conditions;
    return role === '' ? [] : [{ role, key: JSON.stringify(conditions) }];
  }
  const { spec: { extraAccessRules = [] } = {} }: Instance = object;
  return extraAccessRules.flatMap(({ clusterRole: role = '', users = [], teams = [] }) => [
    ...users.map((user) => ({ role, key: JSON.stringify([role, 'User', user]) })),
    ...teams.map((team) => ({ role, key: JSON.stringify([role, 'Team', team]) })),
  ]);
}
