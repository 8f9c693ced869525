import { Namespace } from '../../../../api/core/v1/namespace.js';
import type { StoredKind } from '../../registry.js';
import { namespaceStrategy } from './strategy.js';

export const kind: StoredKind<typeof Namespace> = { definition: Namespace, strategy: namespaceStrategy };
