import { ConfigMap } from '../../../../api/core/v1/configmap.js';
import type { StoredKind } from '../../registry.js';
import { configMapStrategy } from './strategy.js';

export const kind: StoredKind<typeof ConfigMap> = { definition: ConfigMap, strategy: configMapStrategy };
