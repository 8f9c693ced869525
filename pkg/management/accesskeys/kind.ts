import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { StoredKind } from '../../registry/registry.js';
import { KEY_RECORDS } from './keyrecord.js';
import { ORIGIN_RECORDS } from './originrecord.js';
import { ownedAccessKeyStrategy } from './strategy.js';
import { USE_RECORDS } from './userecord.js';

export const kind: StoredKind<typeof OwnedAccessKey> = {
  definition: OwnedAccessKey,
  strategy: ownedAccessKeyStrategy,
  records: [KEY_RECORDS, USE_RECORDS, ORIGIN_RECORDS],
};
