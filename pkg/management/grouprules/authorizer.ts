/** People with a role in a project by a rule see the project, as its members do. */
import type { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import type { Project } from '../../../api/management.svc.example/v1/project.js';
import type { ResourceRule } from '../../apimachinery/attributes.js';
import type { User } from '../../authentication/interface.js';
import type { Decision, KindAttributes } from '../../authorization/interface.js';
import type { ResourceCache } from '../../cache/interface.js';
import { READ_BY_MEMBERS } from '../sharing/rights.js';
import { groupStep, type LocatingAuthorizer } from '../subjectlocator.js';
import { isInProject, ruleGroup, rulesIn } from './ruleset.js';

const GROUP = 'management.svc.example';
const PROJECTS = 'projects';
const DENIED: Decision = { allowed: false, reason: '' };
const ALLOWED: Decision = { allowed: true, reason: 'allowed by a group rule' };
const BELOW: readonly string[] = ['', ...(READ_BY_MEMBERS[PROJECTS] ?? [])];

export interface RuleCaches {
  readonly rules: ResourceCache<GroupRule>;
  readonly projects: ResourceCache<Project>;
}

export function groupRuleAuthorizer({ rules, projects }: RuleCaches): LocatingAuthorizer {
  /** Undefined: the rule gives no role, or the project is another one of that name. */
  function projectOf(rule: GroupRule | undefined): string | undefined {
    const { project = '' } = rule?.spec ?? {};
    if (rule === undefined || project === '') return undefined;
    return isInProject(rule, projects.latest().get(project)?.object()) ? project : undefined;
  }

  function projectsOf({ groups }: Pick<User, 'groups'>): Set<string> {
    const known = rulesIn(groups).map((name) => rules.latest().get(name)?.object());
    const own = known.filter((rule) => rule !== undefined && groups.includes(ruleGroup(rule)));
    return new Set(own.flatMap((rule) => projectOf(rule) ?? []));
  }

  const concerns = ({ verb, group, resource, subresource }: KindAttributes): boolean =>
    group === GROUP && resource === PROJECTS && verb === 'get' && BELOW.includes(subresource);

  return {
    authorize: (user, asked) =>
      asked.kind === 'resource' && concerns(asked) && projectsOf(user).has(asked.name) ? ALLOWED : DENIED,
    visible(user, asked) {
      const names = concerns(asked) ? projectsOf(user) : new Set<string>();
      return names.size === 0 ? { objects: 'none' } : { objects: 'names', names };
    },
    *allowedSubjects(asked) {
      if (!concerns(asked) || asked.name === '') return;
      for (const entry of rules.latest().entries('')) {
        const rule = entry.object();
        if (projectOf(rule) !== asked.name) continue;
        yield { steps: [groupStep(ruleGroup(rule)), { kind: 'Self', name: PROJECTS, verbs: ['get'] }] };
      }
    },
    namespaces: () => [],
    rulesFor(user) {
      const names = [...projectsOf(user)];
      const rule: ResourceRule = {
        verbs: ['get'],
        apiGroups: [GROUP],
        resources: BELOW.map((below) => (below === '' ? PROJECTS : `${PROJECTS}/${below}`)),
        resourceNames: names,
      };
      return { resourceRules: names.length === 0 ? [] : [rule], nonResourceRules: [], incomplete: false };
    },
  };
}
