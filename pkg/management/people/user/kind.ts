import { User } from '../../../../api/management.svc.example/v1/user.js';
import type { StoredKind } from '../../../registry/registry.js';
import { withAccess } from '../../sharing/withaccess.js';
import { userStrategy } from './strategy.js';

export const kind: StoredKind<typeof User> = { definition: User, strategy: withAccess(User, userStrategy) };
