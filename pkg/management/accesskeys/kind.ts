import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { StoredKind } from '../../registry/registry.js';
import { ownedAccessKeyStrategy } from './strategy.js';

export const kind: StoredKind<typeof OwnedAccessKey> = {
  definition: OwnedAccessKey,
  strategy: ownedAccessKeyStrategy,
};
