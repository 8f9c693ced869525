import { PRIVILEGED_GROUP } from '../authentication/groups.js';
import type { User } from '../authentication/interface.js';
import type { Authorizer, Decision, Rules } from './interface.js';

const ALLOWED: Decision = { allowed: true };
const NO_OPINION: Decision = { allowed: false, reason: '' };
const EVERYTHING: Rules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};
const NOTHING: Rules = { resourceRules: [], nonResourceRules: [], incomplete: false };

const isMaster = (user: User): boolean => user.groups.includes(PRIVILEGED_GROUP);

/** Allows `system:masters` everything. Has no opinion on other users. */
export function privilegedGroupAuthorizer(): Authorizer {
  return {
    authorize: (user) => (isMaster(user) ? ALLOWED : NO_OPINION),
    visible: (user) => ({ objects: isMaster(user) ? 'all' : 'none' }),
    namespaces: () => [],
    rulesFor: (user) => (isMaster(user) ? EVERYTHING : NOTHING),
  };
}
