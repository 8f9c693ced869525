import { Secret } from '../../../../api/core/v1/secret.js';
import type { StoredKind } from '../../registry.js';
import { secretStrategy } from './strategy.js';

export const kind: StoredKind<typeof Secret> = { definition: Secret, strategy: secretStrategy };
