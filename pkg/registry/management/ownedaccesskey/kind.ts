import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Registration } from '../../registry.js';
import { ownedAccessKeyStrategy } from './strategy.js';

export const kind: Registration = { definition: OwnedAccessKey, strategy: ownedAccessKeyStrategy };
