import { Team } from '../../../../api/management.svc.example/v1/team.js';
import type { Registration } from '../../registry.js';
import { withAccess } from '../access/withaccess.js';
import { teamStrategy } from './strategy.js';

export const kind: Registration = { definition: Team, strategy: withAccess(Team, teamStrategy) };
