import { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import type { StoredKind } from '../../registry/registry.js';
import { groupRuleStrategy } from './strategy.js';

export const kind: StoredKind<typeof GroupRule> = { definition: GroupRule, strategy: groupRuleStrategy };
