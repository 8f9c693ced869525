import { ServiceAccount } from '../../../../api/core/v1/serviceaccount.js';
import type { StoredKind } from '../../registry.js';
import { serviceAccountStrategy } from './strategy.js';

export const kind: StoredKind<typeof ServiceAccount> = {
  definition: ServiceAccount,
  strategy: serviceAccountStrategy,
};
