import { Secret } from '../../../../api/core/v1/secret.js';
import type { Registration } from '../../registry.js';
import { secretStrategy } from './strategy.js';

export const kind: Registration = { definition: Secret, strategy: secretStrategy };
