import { ConfigMap } from '../../../../api/core/v1/configmap.js';
import type { Registration } from '../../registry.js';
import { configMapStrategy } from './strategy.js';

export const kind: Registration = { definition: ConfigMap, strategy: configMapStrategy };
