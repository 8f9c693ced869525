import { ServiceAccount } from '../../../../api/core/v1/serviceaccount.js';
import type { Registration } from '../../registry.js';
import { serviceAccountStrategy } from './strategy.js';

export const kind: Registration = { definition: ServiceAccount, strategy: serviceAccountStrategy };
