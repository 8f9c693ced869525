/** Every kind of this server. A new kind adds its line here and nothing elsewhere. */
import { ConfigMap } from '../../api/core/v1/configmap.js';
import { Namespace } from '../../api/core/v1/namespace.js';
import { Secret } from '../../api/core/v1/secret.js';
import { ServiceAccount } from '../../api/core/v1/serviceaccount.js';
import { SharedSecret } from '../../api/management.svc.example/v1/sharedsecret.js';
import { configMapStrategy } from './core/configmap/strategy.js';
import { namespaceStrategy } from './core/namespace/strategy.js';
import { secretStrategy } from './core/secret/strategy.js';
import { serviceAccountStrategy } from './core/serviceaccount/strategy.js';
import { sharedSecretStrategy } from './management/sharedsecret/strategy.js';
import type { Registration } from './registry.js';

export const KINDS: readonly Registration[] = [
  { definition: Namespace, strategy: namespaceStrategy },
  { definition: ConfigMap, strategy: configMapStrategy },
  { definition: Secret, strategy: secretStrategy },
  { definition: ServiceAccount, strategy: serviceAccountStrategy },
  { definition: SharedSecret, strategy: sharedSecretStrategy },
];
