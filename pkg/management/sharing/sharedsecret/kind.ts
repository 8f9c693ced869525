import { SharedSecret } from '../../../../api/management.svc.example/v1/sharedsecret.js';
import type { StoredKind } from '../../../registry/registry.js';
import { withAccess } from '../withaccess.js';
import { sharedSecretStrategy } from './strategy.js';

export const kind: StoredKind<typeof SharedSecret> = {
  definition: SharedSecret,
  strategy: withAccess(SharedSecret, sharedSecretStrategy),
};
