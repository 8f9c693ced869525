/** Group rules, and what they would give. */
import type { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import type { GroupRuleReview } from '../../../api/management.svc.example/v1/grouprules/grouprulereview.js';
import type { User } from '../../../api/management.svc.example/v1/user.js';
import type { NewRule } from './commands/rulecommands.js';
import { objects, type Form } from './forms.js';
import { createObject } from './one.js';
import { pathOf } from './paths.js';
import { send } from './request.js';
import { namedView, type NamedView } from './views.js';

export const RULES = 'grouprules';
export const LIST_RULES = { verb: 'list', resource: RULES, namespace: '', name: '' } as const;
export const TEST_CLAIMS = {
  verb: 'create',
  resource: 'grouprulereviews',
  namespace: '',
  name: '',
} as const;

export interface RuleView extends NamedView {
  readonly spec: GroupRule['spec'];
}

export const ruleForm = (): Form<RuleView> =>
  objects((rule: GroupRule): RuleView => ({ ...namedView(rule), spec: rule.spec }));

/** A user to whom rules apply. */
export interface JudgedView extends NamedView {
  readonly rules: readonly string[];
}

export const judgedForm = (): Form<JudgedView> =>
  objects((user: User): JudgedView => ({ ...namedView(user), rules: user.status?.login?.rules ?? [] }));

/** Rejects with ApiError. */
export const createRule = ({ name, claim, values, gives, team, project, role }: NewRule): Promise<unknown> =>
  createObject(RULES, '', {
    kind: 'GroupRule',
    metadata: { name },
    spec: { claim, values, ...(gives === 'team' ? { team } : { project, clusterRole: role }) },
  });

export type Answer = NonNullable<GroupRuleReview['status']>;

/** Rejects with ApiError. */
export async function reviewClaims(claims: object): Promise<Answer> {
  const body = { kind: 'GroupRuleReview', apiVersion: 'management.svc.example/v1', spec: { claims } };
  return (await send<{ status: Answer }>('POST', pathOf(TEST_CLAIMS.resource), { body })).status;
}
