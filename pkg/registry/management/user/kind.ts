import { User } from '../../../../api/management.svc.example/v1/user.js';
import type { StoredKind } from '../../registry.js';
import { withAccess } from '../access/withaccess.js';
import { userStrategy } from './strategy.js';

export const kind: StoredKind<typeof User> = { definition: User, strategy: withAccess(User, userStrategy) };
