import { ConfigMap } from './core/v1/configmap.js';
import { Namespace } from './core/v1/namespace.js';
import { Secret } from './core/v1/secret.js';
import { ServiceAccount } from './core/v1/serviceaccount.js';
import { Lease } from './coordination.k8s.io/v1/lease.js';
import { Role } from './rbac.authorization.k8s.io/v1/role.js';
import { RoleBinding } from './rbac.authorization.k8s.io/v1/rolebinding.js';
import { ClusterRole } from './rbac.authorization.k8s.io/v1/clusterrole.js';
import { ClusterRoleBinding } from './rbac.authorization.k8s.io/v1/clusterrolebinding.js';
import { SharedSecret } from './management.svc.example/v1/sharedsecret.js';
import type { ResourceDefinition } from './resource.js';

export * from './resource.js';
export {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Lease,
  Namespace,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
  SharedSecret,
};

/** Every kind of the API. */
export const RESOURCES: readonly ResourceDefinition[] = [
  Namespace,
  ConfigMap,
  Secret,
  ServiceAccount,
  Lease,
  Role,
  RoleBinding,
  ClusterRole,
  ClusterRoleBinding,
  SharedSecret,
];
