import { Namespace } from '../../../../api/core/v1/namespace.js';
import type { Registration } from '../../registry.js';
import { namespaceStrategy } from './strategy.js';

export const kind: Registration = { definition: Namespace, strategy: namespaceStrategy };
