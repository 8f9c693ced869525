/** Reconciles the bootstrap roles and bindings (`k8s.io/component-helpers/auth/rbac/reconciliation`). */
import { ClusterRole } from '../../../../api/rbac.authorization.k8s.io/v1/clusterrole.js';
import { ClusterRoleBinding } from '../../../../api/rbac.authorization.k8s.io/v1/clusterrolebinding.js';
import { apiVersionOf, type KubeObject, type ResourceDefinition } from '../../../../api/resource.js';
import { StatusError } from '../../../apimachinery/errors.js';
import { createObject } from '../../generic/create.js';
import { sameJson } from '../../object/metadata.js';
import type { ResourceStore } from '../../resourcestore.js';
import { updateObject } from '../../generic/update.js';
import { loopbackOptions } from '../../loopback.js';
import { subjectsOf } from '../bindings.js';
import { rulesOf } from '../rules.js';
import { BOOTSTRAP_BINDINGS, BOOTSTRAP_ROLES, type BootstrapBinding, type BootstrapRole } from './roles.js';

const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const GROUP = 'rbac.authorization.k8s.io';

const NO_MORE = { roles: [], bindings: [] };
const OPTIONS = loopbackOptions('apiserver');

/**
 * Creates missing roles and bindings, and restores removed rules and subjects, unless the annotation
 * `rbac.authorization.kubernetes.io/autoupdate` is `false`. Additions stay. `more`: those of the server's own kinds. Throws as create and update.
 */
export async function bootstrapRbac(
  stores: readonly ResourceStore[],
  more: {
    readonly roles: readonly BootstrapRole[];
    readonly bindings: readonly BootstrapBinding[];
  } = NO_MORE,
): Promise<void> {
  const roles = storeOf(stores, ClusterRole);
  const bindings = storeOf(stores, ClusterRoleBinding);
  if (roles === undefined || bindings === undefined) return;
  await Promise.all([
    ...[...BOOTSTRAP_ROLES, ...more.roles].map((role) => reconcile(roles, roleObject(role))),
    ...[...BOOTSTRAP_BINDINGS, ...more.bindings].map((binding) =>
      reconcile(bindings, bindingObject(binding)),
    ),
  ]);
}

const storeOf = (stores: readonly ResourceStore[], wanted: ResourceDefinition): ResourceStore | undefined =>
  stores.find(({ definition }) => definition === wanted);

function emptyObject(definition: ResourceDefinition, name: string, labels: object = {}): KubeObject {
  return {
    kind: definition.kind,
    apiVersion: apiVersionOf(definition),
    metadata: {
      name,
      labels: { ...labels, 'kubernetes.io/bootstrapping': 'rbac-defaults' },
      annotations: { [AUTOUPDATE]: 'true' },
    },
  };
}

function roleObject({ name, labels, rules, aggregates }: BootstrapRole): KubeObject {
  const object = emptyObject(ClusterRole, name, labels);
  if (rules !== undefined) object.rules = structuredClone(rules);
  if (aggregates === undefined) return object;
  const clusterRoleSelectors = aggregates.map((label) => ({ matchLabels: { [label]: 'true' } }));
  return { ...object, aggregationRule: { clusterRoleSelectors } };
}

function bindingObject({ name, role, groups }: BootstrapBinding): KubeObject {
  return {
    ...emptyObject(ClusterRoleBinding, name),
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
    subjects: groups.map((group) => ({ apiGroup: GROUP, kind: 'Group', name: group })),
  };
}

async function reconcile(store: ResourceStore, wanted: KubeObject): Promise<void> {
  const name = wanted.metadata.name!;
  const live = store.cache.latest().get(name)?.object();
  if (live === undefined) return create(store, wanted);
  if (sameJson(completed(live, wanted), live)) return;
  const change = (current: KubeObject): KubeObject => completed(current, wanted);
  const request = { namespace: '', name, subresource: '', change, versionRequired: false };
  await updateObject(store, request, OPTIONS);
}

/** Ignores a role that another server created. */
async function create(store: ResourceStore, wanted: KubeObject): Promise<void> {
  try {
    store.schema.applyDefaults(wanted);
    store.strategy.applyDefaults?.(wanted);
    await createObject(store, '', wanted, OPTIONS);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
  }
}

/** Returns a copy of `live` with everything of `wanted`, or unchanged if updates are disabled. */
export function completed(live: KubeObject, wanted: KubeObject): KubeObject {
  const object = structuredClone(live);
  const { metadata } = object;
  if (metadata.annotations?.[AUTOUPDATE] === 'false') return object;
  metadata.labels = { ...metadata.labels, ...wanted.metadata.labels };
  metadata.annotations = { ...wanted.metadata.annotations, ...metadata.annotations };
  if (wanted.aggregationRule !== undefined) {
    object.aggregationRule = structuredClone(wanted.aggregationRule);
    return object;
  }
  if (wanted.rules !== undefined) object.rules = union(rulesOf(live), rulesOf(wanted));
  if (wanted.subjects !== undefined) object.subjects = union(subjectsOf(live), subjectsOf(wanted));
  return object;
}

function union<T>(have: readonly T[], wanted: readonly T[]): T[] {
  const missing = wanted.filter((each) => !have.some((other) => sameJson(each, other)));
  return structuredClone([...have, ...missing]);
}
