import { Team } from '../../../../api/management.svc.example/v1/team.js';
import type { StoredKind } from '../../../registry/registry.js';
import { withAccess } from '../../sharing/withaccess.js';
import { teamStrategy } from './strategy.js';

export const kind: StoredKind<typeof Team> = { definition: Team, strategy: withAccess(Team, teamStrategy) };
