/** The inverse of a decision: who may do something, and by what. */
import type { RightsSource, Step, Way } from '../../api/management.svc.example/v1/resourceaccessreview.js';
import type { Authorizer, ResourceAttributes } from '../authorization/interface.js';
import { rulesIn } from './grouprules/ruleset.js';
import { teamGroup, userGroup } from './people/identities/known.js';
import { accountIn } from '../authentication/serviceaccount/token.js';

export type { RightsSource, Step, Way };

/** `k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac.SubjectLocator` */
export interface SubjectLocator {
  /**
   * Who may do this, and by what. Tells nothing that comes from what is not `readable`, and stops after `until`, in ms of
   * `performance.now()`.
   */
  allowedSubjects(asked: ResourceAttributes, readable: ReadonlySet<RightsSource>, until: number): Ways;
}

export type Ways = Iterable<Way> | AsyncIterable<Way>;

export type LocatingAuthorizer = Authorizer & SubjectLocator;

/** Prefixes of the groups that have the members and the keys of a team, and one user. */
const [TEAM, USER] = [teamGroup(''), userGroup('')];

export function userStep(name: string): Step {
  if (name.startsWith(TEAM)) return { kind: 'TeamKey', name: name.slice(TEAM.length) };
  const account = accountIn(name);
  return account === undefined ? { kind: 'User', name } : { kind: 'ServiceAccount', ...account };
}

export function groupStep(name: string): Step {
  if (name.startsWith(TEAM)) return { kind: 'Team', name: name.slice(TEAM.length) };
  if (name.startsWith(USER)) return userStep(name.slice(USER.length));
  const [rule] = rulesIn([name]);
  if (rule !== undefined) return { kind: 'GroupRule', name: rule };
  return { kind: 'Group', name };
}

/** What somebody may do with what is theirs. */
export const ownWay = (who: Step, resource: string, verbs: readonly string[]): Way => ({
  steps: [who, { kind: 'Self', name: resource, verbs: [...verbs] }],
});
