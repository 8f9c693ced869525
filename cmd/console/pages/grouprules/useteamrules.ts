import { LIST_RULES, ruleForm, RULES, type RuleView } from '../../client/grouprules.js';
import { pathOf } from '../../client/paths.js';
import { useMay } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';

/** The rules that make people members of a team, as far as the user may list rules. */
export function useTeamRules(team: string): readonly string[] {
  const mayList = useMay(LIST_RULES);
  const { items } = useLive<RuleView>(mayList ? pathOf(RULES) : undefined, 'rule', ruleForm);
  return items.filter(({ spec }) => spec.team === team).map(({ metadata: { name = '' } }) => name);
}
