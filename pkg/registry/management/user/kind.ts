import { User } from '../../../../api/management.svc.example/v1/user.js';
import type { Registration } from '../../registry.js';
import { withAccess } from '../access/withaccess.js';
import { userStrategy } from './strategy.js';

export const kind: Registration = { definition: User, strategy: withAccess(User, userStrategy) };
