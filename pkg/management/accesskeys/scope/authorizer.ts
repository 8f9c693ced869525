import type { User } from '../../../authentication/interface.js';
import type {
  Attributes,
  Authorizer,
  Decision,
  KindAttributes,
  Visible,
} from '../../../authorization/interface.js';
import { scopeAllows } from './allows.js';
import { scopeOf, type ScopeSettings } from './interface.js';
import { wholeProject } from '../projectkeys/identity.js';
import { projectKeyOf, teamsIn } from '../../sharing/rights.js';
import { onceKnown } from '../../../apimachinery/eventloop/onceknown.js';

const OUT_OF_SCOPE: Decision = { allowed: false, reason: 'denied by access key scope' };
const TO = { target: 'Management' } as const;

/** `namespaces`: all that there are. */
export type ScopedSettings = ScopeSettings & { readonly namespaces: () => Iterable<string> };

/** What a key of a project may not do, whatever its role is: add members to the project, and make other identities. */
const READ: readonly string[] = ['get', 'list', 'watch'];
const isAboutRights = (asked: Attributes): boolean =>
  asked.kind === 'resource' && asked.group === 'rbac.authorization.k8s.io' && !READ.includes(asked.verb);

/**
 * Allows what both `inner` and the scope of the credential allow; a key of a project nothing outside the project. Costs
 * nothing without a scope.
 */
export function scopedAuthorizer(inner: Authorizer, settings: ScopedSettings): Authorizer {
  const allows = (user: User, attributes: Attributes): boolean => {
    const scope = scopeOf(user);
    if (scope === undefined) return true;
    const caller = { name: user.name, teams: teamsIn(user.groups) };
    const request = { to: TO, attributes, caller };
    if (!scopeAllows(scope, request, settings)) return false;
    const { project } = projectKeyOf(user.name) ?? {};
    return (
      project === undefined ||
      (scopeAllows(wholeProject(project), request, settings) && !isAboutRights(attributes))
    );
  };

  function visible(user: User, attributes: KindAttributes): Visible {
    const seen = inner.visible(user, attributes);
    const named = (name: string): boolean =>
      allows(user, { kind: 'resource', version: 'v1', ...attributes, name });
    if (named('')) return seen;
    const names = seen.objects === 'names' ? seen.names : seen.objects === 'all' ? namesIn(user) : [];
    const left = new Set([...names].filter(named));
    return left.size === 0 ? { objects: 'none' } : { objects: 'names', names: left };
  }

  return {
    authorize: (user, attributes) =>
      allows(user, attributes) ? inner.authorize(user, attributes) : OUT_OF_SCOPE,
    visible: (user, attributes) =>
      user.scope === undefined ? inner.visible(user, attributes) : visible(user, attributes),
    // A scope may speak of whole namespaces.
    namespaces: (user) => (user.scope === undefined ? inner.namespaces(user) : settings.namespaces()),
    rulesFor(user, namespace) {
      const rules = inner.rulesFor(user, namespace);
      if (user.scope === undefined) return rules;
      return onceKnown(rules, (all) => ({ ...all, incomplete: true }));
    },
  };
}

/** Every name that the scope speaks of: nothing else can be seen through it. */
function namesIn(user: User): string[] {
  const { name, groups } = user;
  const { projects = [], spaces = [], virtualClusters = [], rules = [] } = scopeOf(user) ?? {};
  return [
    name,
    ...teamsIn(groups),
    ...[...projects, ...spaces, ...virtualClusters].map(({ project = '' }) => project),
    ...spaces.map(({ space = '' }) => space),
    ...virtualClusters.map(({ virtualCluster = '' }) => virtualCluster),
    ...rules.flatMap(({ resourceNames = [] }) => resourceNames),
  ].filter((one) => one !== '' && one !== '*');
}
