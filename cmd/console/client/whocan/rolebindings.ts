/** Rights by roles and bindings (`rbac.authorization.k8s.io/v1`). */
import type { KubeObject, ObjectMeta } from '../../../../api/resource.js';
import { objects, type Form } from '../forms.js';
import { pathIn } from '../paths.js';
import { groupStep, userStep, type Asked, type Step, type Way } from './ways.js';

export const RBAC = '/apis/rbac.authorization.k8s.io/v1';

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A RoleBinding; a ClusterRoleBinding if it has no namespace. */
export interface BindingView {
  readonly metadata: ObjectMeta;
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects: readonly Subject[];
}

interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A Role; a ClusterRole if it has no namespace. */
export interface RoleView {
  readonly metadata: ObjectMeta;
  readonly rules: readonly PolicyRule[];
}

interface Binding extends KubeObject {
  readonly roleRef: BindingView['roleRef'];
  readonly subjects?: BindingView['subjects'] | null;
}

interface Role extends KubeObject {
  readonly rules?: RoleView['rules'] | null;
}

const shortOf = ({ name = '', namespace = '', resourceVersion = '' }: ObjectMeta): ObjectMeta => ({
  name,
  namespace,
  resourceVersion,
});

export const bindingForm = (): Form<BindingView> =>
  objects(({ metadata, roleRef, subjects }: Binding) => ({
    metadata: shortOf(metadata),
    roleRef,
    subjects: subjects ?? [],
  }));

export const roleForm = (): Form<RoleView> =>
  objects(({ metadata, rules }: Role) => ({ metadata: shortOf(metadata), rules: rules ?? [] }));

export interface Roles {
  readonly bindings: readonly BindingView[];
  /** Undefined: the user may not list them. */
  readonly roles: readonly RoleView[] | undefined;
  readonly clusterRoles: readonly RoleView[] | undefined;
}

/**
 * Roles that the server maintains for the rights of one object, and the one that lets everybody send requests through a
 * host: the server grants no right from them, but evaluates the object itself.
 */
export const isIgnoredRole = (role: string): boolean =>
  role === 'management:host:requests:all' ||
  /^management:[^:]+:[^:]+:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:\d+$/.test(role);

/** A RoleBinding applies in its namespace, a ClusterRoleBinding everywhere. */
export function bindingWays({ bindings, roles, clusterRoles }: Roles, asked: Asked): Way[] {
  const cluster = rulesByName(clusterRoles);
  const local = rulesByName(roles);
  return [...bindings].sort(byPlaceAndName).flatMap(({ metadata, roleRef, subjects }): Way[] => {
    const namespace = metadata.namespace ?? '';
    if (isIgnoredRole(roleRef.name) || (namespace !== '' && namespace !== spaceOf(asked))) return [];
    const known = roleRef.kind === 'ClusterRole' ? cluster : local;
    const given = known === undefined ? undefined : verbsOf(known.get(roleRef.name) ?? [], asked);
    if (given?.length === 0) return [];
    const role = roleStep(roleRef, namespace, given);
    const binding = bindingStep(metadata.name ?? '', namespace);
    return subjects.flatMap((subject) => {
      const who = subjectStep(subject, namespace);
      return who === undefined ? [] : [{ steps: [who, binding, role], unsure: given === undefined }];
    });
  });
}

/**
 * The namespace in which a request is authorized. A request for a namespace counts as one in that namespace
 * (`k8s.io/apiserver/pkg/endpoints/request`).
 */
export const spaceOf = ({ group, resource, namespace, name }: Asked): string =>
  group === '' && resource === 'namespaces' ? name : namespace;

const byPlaceAndName = ({ metadata: one }: BindingView, { metadata: other }: BindingView): number =>
  (other.namespace ?? '').localeCompare(one.namespace ?? '') ||
  (one.name ?? '').localeCompare(other.name ?? '');

const rulesByName = (
  roles: readonly RoleView[] | undefined,
): Map<string, readonly PolicyRule[]> | undefined =>
  roles && new Map(roles.map(({ metadata, rules }) => [metadata.name ?? '', rules]));

/** The verbs of the rules that grant the right; empty: no rule grants it. */
function verbsOf(rules: readonly PolicyRule[], { verb, group, resource, name }: Asked): string[] {
  const covers = ({ verbs, apiGroups, resources, resourceNames = [] }: PolicyRule): boolean =>
    has(verbs, verb) &&
    has(apiGroups, group) &&
    has(resources, resource) &&
    (resourceNames.length === 0 || resourceNames.includes(name));
  return [...new Set(rules.filter(covers).flatMap(({ verbs = [] }) => verbs))];
}

const has = (values: readonly string[] = [], value: string): boolean =>
  values.includes('*') || values.includes(value);

const bindingStep = (name: string, namespace: string): Step =>
  namespace === ''
    ? { kind: 'clusterRoleBinding', name, path: pathIn(RBAC, 'clusterrolebindings', '', name) }
    : { kind: 'roleBinding', name, path: pathIn(RBAC, 'rolebindings', namespace, name) };

function roleStep(
  { kind, name }: BindingView['roleRef'],
  namespace: string,
  verbs: readonly string[] | undefined,
): Step {
  const given = verbs !== undefined && { verbs };
  return kind === 'ClusterRole'
    ? { kind: 'clusterRole', name, path: pathIn(RBAC, 'clusterroles', '', name), ...given }
    : { kind: 'role', name, path: pathIn(RBAC, 'roles', namespace, name), ...given };
}

function subjectStep({ kind, name, namespace }: Subject, ofBinding: string): Step | undefined {
  if (kind === 'User') return userStep(name);
  if (kind === 'Group') return groupStep(name);
  const home = namespace ?? ofBinding;
  if (kind !== 'ServiceAccount' || home === '') return undefined;
  return {
    kind: 'serviceAccount',
    name: `${home}/${name}`,
    path: pathIn('/api/v1', 'serviceaccounts', home, name),
  };
}
