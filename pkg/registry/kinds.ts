/** Every kind of this server. A new kind adds its line here and nothing elsewhere. */
import { ConfigMap } from '../../api/core/v1/configmap.js';
import { Namespace } from '../../api/core/v1/namespace.js';
import { Secret } from '../../api/core/v1/secret.js';
import { ServiceAccount } from '../../api/core/v1/serviceaccount.js';
import { Lease } from '../../api/coordination.k8s.io/v1/lease.js';
import { Role } from '../../api/rbac.authorization.k8s.io/v1/role.js';
import { RoleBinding } from '../../api/rbac.authorization.k8s.io/v1/rolebinding.js';
import { ClusterRole } from '../../api/rbac.authorization.k8s.io/v1/clusterrole.js';
import { ClusterRoleBinding } from '../../api/rbac.authorization.k8s.io/v1/clusterrolebinding.js';
import { SharedSecret } from '../../api/management.svc.example/v1/sharedsecret.js';
import { configMapStrategy } from './core/configmap/strategy.js';
import { namespaceStrategy } from './core/namespace/strategy.js';
import { secretStrategy } from './core/secret/strategy.js';
import { serviceAccountStrategy } from './core/serviceaccount/strategy.js';
import { leaseStrategy } from './coordination/lease/strategy.js';
import { roleStrategy } from './rbac/role/strategy.js';
import { roleBindingStrategy } from './rbac/rolebinding/strategy.js';
import { clusterRoleStrategy } from './rbac/clusterrole/strategy.js';
import { clusterRoleBindingStrategy } from './rbac/clusterrolebinding/strategy.js';
import { sharedSecretStrategy } from './management/sharedsecret/strategy.js';
import type { Registration } from './registry.js';

export const KINDS: readonly Registration[] = [
  { definition: Namespace, strategy: namespaceStrategy },
  { definition: ConfigMap, strategy: configMapStrategy },
  { definition: Secret, strategy: secretStrategy },
  { definition: ServiceAccount, strategy: serviceAccountStrategy },
  { definition: Lease, strategy: leaseStrategy },
  { definition: Role, strategy: roleStrategy },
  { definition: RoleBinding, strategy: roleBindingStrategy },
  { definition: ClusterRole, strategy: clusterRoleStrategy },
  { definition: ClusterRoleBinding, strategy: clusterRoleBindingStrategy },
  { definition: SharedSecret, strategy: sharedSecretStrategy },
];
