/** The namespace of a project and its members' bindings, written in the project's commit. */
import type { Project } from '../../../api/management.svc.example/v1/project.js';
import { clusterScoped, type KubeObject } from '../../../api/resource.js';
import { conflict, fieldInvalid, fieldNotSupported, findingsOf, invalid } from '../../apimachinery/errors.js';
import { POD_SECURITY_LABELS, projectNamespace } from './names.js';
import { MEMBER_BINDING_PREFIX } from '../sharing/managednames.js';
import { projectObjects } from './objects.js';
import { dns1123Label } from '../../apimachinery/validation/names.js';
import type { Write } from '../../storage/interface.js';
import type { Change, TransactionObjects, Effects } from '../../registry/transaction/effects.js';
import { sameJson } from '../../registry/object/metadata.js';
import { whyNotAdopted } from './leftover.js';
import { settingsOf } from '../settings.js';
import { uncounted } from './usage/counted.js';

const KIND = { group: 'management.svc.example', plural: 'projects', kind: 'Project' };
const RBAC = 'rbac.authorization.k8s.io';
const BINDINGS = 'rolebindings';

/**
 * Throws StatusError 422 for an invalid name of the namespace, a role that members may not have, or objects that
 * cannot be counted; 409 if the namespace exists already.
 */
export async function projectEffects(change: Change<Project>, objects: TransactionObjects): Promise<Effects> {
  const { next, previous } = change;
  const writes: Write[] = [];
  if (next !== undefined) {
    checkMemberRoles(next, previous, objects);
    checkCounted(next, previous, objects);
  }
  const wanted = next && grants(next, objects);
  const had = previous && grants(previous, objects);
  if (next !== undefined && previous === undefined) {
    writes.push(...(await newNamespace(next, change.now, objects)));
    writes.push(...leftGrants(next, wanted ?? [], objects));
  }
  if (!sameJson(wanted, had)) {
    const writer = objects.kind(RBAC, BINDINGS);
    for (const { namespace, object } of wanted ?? []) {
      const before = had?.find((one) => nameOf(one.object) === nameOf(object));
      const becomes = previous !== undefined && !sameJson(before?.object, object);
      writes.push(
        ...writer.ensure(namespace, object, writer.cached({ namespace, name: nameOf(object) }), becomes),
      );
    }
    for (const { namespace, object } of had ?? []) {
      const name = nameOf(object);
      if (wanted?.some((one) => nameOf(one.object) === name) === true) continue;
      const current = writer.cached({ namespace, name }) ?? (await writer.read({ namespace, name }));
      if (current !== undefined) writes.push(writer.remove(current));
    }
  }
  return { writes, guards: [] };
}

/** At an aggregated server, members may only have the roles that it may bind. Existing ones may stay. */
function checkMemberRoles(next: Project, previous: Project | undefined, objects: TransactionObjects): void {
  const { memberRoles } = settingsOf(objects);
  if (memberRoles === undefined) return;
  const had = new Set((previous?.spec?.members ?? []).map(({ clusterRole }) => clusterRole));
  const misfits = findingsOf((next.spec?.members ?? []).entries(), ([at, { clusterRole }]) =>
    had.has(clusterRole) || memberRoles.includes(clusterRole)
      ? []
      : [fieldNotSupported(`spec.members[${at}].clusterRole`, clusterRole, memberRoles)],
  );
  if (misfits.length > 0) throw invalid(KIND, next.metadata.name ?? '', misfits);
}

/** Quotas can only count what is stored here. Existing names may stay. */
function checkCounted(next: Project, previous: Project | undefined, objects: TransactionObjects): void {
  const { quotas = {} } = next.spec ?? {};
  if (quotas.objects === undefined) return;
  const { countedGroup } = settingsOf(objects);
  const misfits = uncounted(quotas, previous?.spec?.quotas ?? {}, objects.definitions, countedGroup);
  if (misfits.length > 0) throw invalid(KIND, next.metadata.name ?? '', misfits);
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? '';

/** A binding for members, in the project's namespace. */
interface Grant {
  readonly namespace: string;
  readonly object: KubeObject;
}

function grants(project: Project, objects: TransactionObjects): Grant[] {
  const { namespace, roleBindings } = projectObjects(project, settingsOf(objects).projectNamespacePrefix);
  return roleBindings.map((object) => ({ namespace: nameOf(namespace), object }));
}

/** Removes bindings that an interrupted create left at another API server. A new namespace has no others. */
function leftGrants({ metadata }: Project, wanted: readonly Grant[], objects: TransactionObjects): Write[] {
  const within = projectNamespace(settingsOf(objects).projectNamespacePrefix, metadata.name ?? '');
  const writer = objects.kind(RBAC, BINDINGS);
  const kept = new Set(wanted.map(({ object }) => nameOf(object)));
  return [...writer.orphans(within, MEMBER_BINDING_PREFIX)]
    .filter(({ name }) => !kept.has(name))
    .map((one) => writer.remove(one));
}

/** Throws StatusError 409 for an existing namespace that cannot be adopted: it may be another user's. */
async function newNamespace(
  project: Project,
  now: string,
  objects: TransactionObjects,
): Promise<readonly Write[]> {
  const { projectNamespacePrefix: prefix } = settingsOf(objects);
  const { name: called = '' } = project.metadata;
  const name = projectNamespace(prefix, called);
  const misfits = dns1123Label(name).map((text) =>
    fieldInvalid('metadata.name', called, `the project's namespace ${name}: ${text}`),
  );
  if (misfits.length > 0) throw invalid(KIND, called, misfits);
  const namespaces = objects.kind('', 'namespaces');
  const known = namespaces.cached(clusterScoped(name));
  const there = known && (await namespaces.read(clusterScoped(name)));
  const why = there && (await whyNotAdopted(there.object(), called, now, objects.contents));
  if (why !== undefined) throw conflict(KIND, called, `there is a namespace ${name} already, ${why}`);
  return namespaces.ensure('', asMade(projectObjects(project, prefix).namespace, objects), there);
}

/** At an aggregated server, Pods run in the namespace. */
function asMade(namespace: KubeObject, objects: TransactionObjects): KubeObject {
  if (settingsOf(objects).memberRoles === undefined) return namespace;
  const { metadata } = namespace;
  return { ...namespace, metadata: { ...metadata, labels: { ...POD_SECURITY_LABELS, ...metadata.labels } } };
}
