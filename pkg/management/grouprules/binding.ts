/** The RoleBinding by which a rule gives a role in a project, written in the rule's commit. */
import type { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { clusterScoped, type KubeObject } from '../../../api/resource.js';
import { fieldNotSupported, invalid } from '../../apimachinery/errors.js';
import type { Write } from '../../storage/interface.js';
import type { Change, Effects, TransactionObjects } from '../../registry/transaction/effects.js';
import { projectNamespace } from '../projects/names.js';
import { settingsOf } from '../settings.js';
import { MANAGED_BY } from '../sharing/managednames.js';
import { isInProject, ruleGroup } from './ruleset.js';

const KIND = { group: 'management.svc.example', plural: 'grouprules', kind: 'GroupRule' };
const API_VERSION = 'management.svc.example/v1';
const RBAC = 'rbac.authorization.k8s.io';
/** A name that only the server may give (`managednames.ts`). */
const NAME = /^management:grouprules:([^:]+):member$/;

const bindingName = (rule: string): string => `management:grouprules:${rule}:member`;

/** The rule, existing or not, that a RoleBinding of this name belongs to. */
export const ruleOfBinding = (name: string): string | undefined => NAME.exec(name)?.[1];

function bindingOf(rule: GroupRule): KubeObject {
  const { name = '', uid = '' } = rule.metadata;
  return {
    kind: 'RoleBinding',
    apiVersion: `${RBAC}/v1`,
    metadata: {
      name: bindingName(name),
      labels: { [MANAGED_BY.label]: MANAGED_BY.value },
      ownerReferences: [{ apiVersion: API_VERSION, kind: 'GroupRule', name, uid }],
    },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: rule.spec.clusterRole },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: ruleGroup(rule) }],
  };
}

/** Throws StatusError 422 for a role that members of projects may not have at an aggregated server. */
export async function bindingEffects(
  change: Change<GroupRule>,
  objects: TransactionObjects,
): Promise<Effects> {
  const { next, previous } = change;
  if (next !== undefined && previous === undefined) checkRole(next, objects);
  return { writes: await bindingWrites(change, objects), guards: [], decidesAccess: next !== undefined };
}

/** Restores the binding while the project and its namespace are there. */
export const bindingRepair = async (
  change: Change<GroupRule>,
  objects: TransactionObjects,
): Promise<Effects> => ({
  writes: await bindingWrites(change, objects),
  guards: [],
});

async function bindingWrites(
  { next, previous }: Pick<Change<GroupRule>, 'next' | 'previous'>,
  objects: TransactionObjects,
): Promise<Write[]> {
  const rule = next ?? previous;
  const { project = '' } = rule?.spec ?? {};
  if (rule === undefined || project === '') return [];
  const namespace = projectNamespace(settingsOf(objects).projectNamespacePrefix, project);
  const bindings = objects.kind(RBAC, 'rolebindings');
  const key = { namespace, name: bindingName(rule.metadata.name ?? '') };
  const current = bindings.cached(key) ?? (next === undefined ? await bindings.read(key) : undefined);
  const found = objects.kind(KIND.group, 'projects').cached(clusterScoped(project))?.object();
  // Another project of that name is not the one whose members the writer of the rule may choose.
  if (next === undefined || !isInProject(next, found))
    return current === undefined ? [] : [bindings.remove(current)];
  const within = objects.kind('', 'namespaces').cached(clusterScoped(namespace))?.object();
  if (within === undefined || within.metadata.deletionTimestamp !== undefined) return [];
  return [...bindings.ensure(namespace, bindingOf(next), current, previous === undefined)];
}

function checkRole({ metadata, spec: { clusterRole = '' } }: GroupRule, objects: TransactionObjects): void {
  const { memberRoles } = settingsOf(objects);
  if (clusterRole === '' || memberRoles === undefined || memberRoles.includes(clusterRole)) return;
  const finding = fieldNotSupported('spec.clusterRole', clusterRole, memberRoles);
  throw invalid(KIND, metadata.name ?? '', [finding]);
}
