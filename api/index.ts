import { ConfigMap } from './core/v1/configmap.js';
import { Namespace } from './core/v1/namespace.js';
import { Secret } from './core/v1/secret.js';
import { ServiceAccount } from './core/v1/serviceaccount.js';
import { SharedSecret } from './management.svc.example/v1/sharedsecret.js';
import type { ResourceDefinition } from './resource.js';

export * from './resource.js';
export { ConfigMap, Namespace, Secret, ServiceAccount, SharedSecret };

/** Every kind of the API. */
export const RESOURCES: readonly ResourceDefinition[] = [
  Namespace,
  ConfigMap,
  Secret,
  ServiceAccount,
  SharedSecret,
];
