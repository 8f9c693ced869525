/** The RoleBinding by which the keys of a project have a role in it: one for each role, made with the first key. */
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { KubeObject } from '../../../../api/resource.js';
import type { Change, Effects, TransactionObjects } from '../../../registry/transaction/effects.js';
import { projectNamespace } from '../../projects/names.js';
import { settingsOf } from '../../settings.js';
import { MANAGED_BY, PROJECT_KEY_BINDING_PREFIX } from '../../sharing/managednames.js';
import { projectKeysGroup, referenceTo } from './identity.js';

const RBAC = 'rbac.authorization.k8s.io';

/**
 * The binding names a group that only keys have while they stand, so that it gives nothing to anybody once they are
 * gone. It is written again with every write of a key, if somebody has deleted it.
 */
export async function projectKeyEffects(
  { next }: Change<OwnedAccessKey>,
  objects: TransactionObjects,
): Promise<Effects> {
  const { project = '', clusterRole = '' } = next?.spec ?? {};
  if (next === undefined || project === '' || next.metadata.deletionTimestamp !== undefined)
    return { writes: [], guards: [] };
  const namespace = projectNamespace(settingsOf(objects).projectNamespacePrefix, project);
  const name = PROJECT_KEY_BINDING_PREFIX + clusterRole;
  const bindings = objects.kind(RBAC, 'rolebindings');
  const current = bindings.cached({ namespace, name });
  const owner = referenceTo('Project', next);
  const object: KubeObject = {
    kind: 'RoleBinding',
    apiVersion: `${RBAC}/v1`,
    metadata: {
      name,
      labels: { [MANAGED_BY.label]: MANAGED_BY.value },
      ...(owner !== undefined && { ownerReferences: [owner] }),
    },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: clusterRole },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: projectKeysGroup(project, clusterRole) }],
  };
  return { writes: bindings.ensure(namespace, object, current), guards: [] };
}
