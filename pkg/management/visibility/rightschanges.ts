/** Notifies of users whose rights may have changed, in the turn in which the change arrives. */
import { perEvent } from '../../cache/watch/perevent.js';
import { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { DirectClusterEndpointToken } from '../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Team } from '../../../api/management.svc.example/v1/team.js';
import { User as UserKind } from '../../../api/management.svc.example/v1/user.js';
import { asKind, type KubeObject } from '../../../api/resource.js';
import { PRIVILEGED_GROUP } from '../../authentication/groups.js';
import type { IdentityCaches } from '../people/identities/caches.js';
import type { User } from '../../authentication/interface.js';
import type { CacheEvent } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import { resourceName } from '../../registry/keys.js';
import { sameJson } from '../../registry/object/metadata.js';
import type { RightsChange } from '../../authorization/rbac/policy.js';
import type { ChangeOf } from '../../authorization/visibility.js';
import { GROUP, USER, keysOf, type SubjectKey } from '../../authorization/rbac/subjects.js';
import { keyHolder } from '../accesskeys/owner.js';
import { meaningOf } from '../grouprules/login.js';
import { MANAGEMENT_AUTHENTICATED } from '../people/identities/known.js';
import { tokenHolder } from '../directtokens/record.js';

export interface RightsChanges {
  /**
   * Calls `changed` for changes that concern the user in a namespace (`''`: any) and a kind (`group/plural`), until it
   * is cancelled.
   */
  follow(user: User, where: Followed, changed: (what: ChangeOf) => void): { cancel(): void };
}

export interface Followed {
  readonly namespace: string;
  readonly resource: string;
}

interface Subscriber extends Followed {
  readonly changed: (what: ChangeOf) => void;
}

/** The rights of `system:masters` do not change, unless a scope restricts them. */
export const alwaysSeesAll = ({ groups, scope }: User): boolean =>
  scope === undefined && groups.includes(PRIVILEGED_GROUP);

/** `onRights`: changes of roles. */
export function rightsChanges(
  onRights: (listener: (change: RightsChange) => void) => void,
  { users, teams, rules, keys, tokens }: IdentityCaches,
): RightsChanges {
  const followers = new Map<SubjectKey, Set<Subscriber>>();

  function tell(change: Omit<RightsChange, 'keys'>, concerned: Iterable<SubjectKey>, what: ChangeOf): void {
    for (const key of concerned)
      for (const follower of followers.get(key) ?? []) if (concerns(change, follower)) follower.changed(what);
  }
  const everyone = (): void => tell(EVERYWHERE, followers.keys(), 'identity');

  onRights((change) => tell(change, change.keys ?? followers.keys(), 'rights'));
  const each = (
    concerned: (event: CacheEvent) => readonly SubjectKey[],
    what: ChangeOf,
    where: Omit<RightsChange, 'keys'> = EVERYWHERE,
  ) => {
    return (events: readonly CacheEvent[]): void => {
      if (followers.size > 0) for (const event of events) tell(where, concerned(event), what);
    };
  };
  const current = [
    onChanges(users, each(changedUser, 'identity'), everyone),
    onChanges(teams, each(changedMembers, 'identity'), everyone),
    onChanges(rules, each(changedByRule, 'identity'), everyone),
    onChanges(keys, each(changedKeyHolder, 'rights'), everyone),
    onChanges(
      keys,
      (events) => {
        if (followers.size > 0 && events.some(beginsOrEndsProjectKey)) tell(KEYS, followers.keys(), 'rights');
      },
      everyone,
    ),
    onChanges(tokens, each(changedTokenHolder, 'rights', TOKENS), everyone),
    onChanges(keys, each(changedCredential, 'identity'), everyone),
  ];

  return {
    follow(user, where, changed) {
      if (alwaysSeesAll(user)) return { cancel: () => undefined };
      for (const ensure of current) ensure();
      const follower: Subscriber = { ...where, changed };
      const own = keysOf(user);
      for (const key of own) {
        const others = followers.get(key);
        if (others === undefined) followers.set(key, new Set([follower]));
        else others.add(follower);
      }
      return {
        cancel() {
          for (const key of own) {
            const left = followers.get(key);
            if (left?.delete(follower) === true && left.size === 0) followers.delete(key);
          }
        },
      };
    },
  };
}

const EVERYWHERE = { namespace: '' };
/** Who sees a key of a project depends on the project. */
const KEYS = { namespace: '', resource: resourceName(OwnedAccessKey) };
/** A new token is a right on its record, and on nothing else. */
const TOKENS = { namespace: '', resource: resourceName(DirectClusterEndpointToken) };

function concerns({ namespace, resource }: Omit<RightsChange, 'keys'>, follower: Followed): boolean {
  if (resource !== undefined && resource !== follower.resource) return false;
  return namespace === '' || follower.namespace === '' || follower.namespace === namespace;
}

/** The state after a change; undefined after a delete. */
const after = ({ entry, deleted }: CacheEvent): KubeObject | undefined =>
  deleted ? undefined : entry.object();
const before = ({ previous }: CacheEvent): KubeObject | undefined => previous?.object();

/** The subjects whose groups change with a User. */
export const changedUser = perEvent((event): SubjectKey[] => {
  const of = (object: KubeObject | undefined): unknown => {
    const { metadata, spec: { groups = [], disabled = false } = {}, status } = asKind(UserKind, object) ?? {};
    return { groups, disabled, uid: metadata?.uid, login: meaningOf(status?.login) };
  };
  return sameJson(of(before(event)), of(after(event))) ? [] : [USER + event.entry.name];
});

/** The subjects that join or leave a team. */
export const changedMembers = perEvent((event): SubjectKey[] => {
  const of = (object: KubeObject | undefined): readonly SubjectKey[] => {
    const { metadata, spec: { users = [], groups = [] } = {} } = asKind(Team, object) ?? {};
    if (metadata?.deletionTimestamp !== undefined) return [];
    return [...users.map((user) => USER + user), ...groups.map((group) => GROUP + group)];
  };
  const [was, is] = [new Set(of(before(event))), new Set(of(after(event)))];
  return [...was].filter((one) => !is.has(one)).concat([...is].filter((one) => !was.has(one)));
});

/** The subjects whose groups may change with a rule: all people, as a rule names none. */
export const changedByRule = perEvent((event): SubjectKey[] => {
  const of = (object: KubeObject | undefined): unknown => {
    const { metadata, spec } = asKind(GroupRule, object) ?? {};
    const { description: _, ...meaning } = spec ?? {};
    return { ...meaning, uid: metadata?.uid, ends: metadata?.deletionTimestamp !== undefined };
  };
  return sameJson(of(before(event)), of(after(event))) ? [] : [GROUP + MANAGEMENT_AUTHENTICATED];
});

const holderOf = (object: KubeObject | undefined): SubjectKey[] => {
  const name = object === undefined ? '' : keyHolder(asKind(OwnedAccessKey, object));
  return name === '' ? [] : [USER + name];
};

/** The subjects that gain or lose a key. */
export const changedKeyHolder = perEvent((event): SubjectKey[] => {
  const [was, is] = [holderOf(before(event)), holderOf(after(event))];
  return was[0] === is[0] ? [] : [...was, ...is];
});

/** Whether a key of a project comes or goes. */
const beginsOrEndsProjectKey = perEvent((event): boolean => {
  if (before(event) !== undefined && after(event) !== undefined) return false;
  return (asKind(OwnedAccessKey, event.entry.object()).spec?.project ?? '') !== '';
});

const holderOfToken = (object: KubeObject | undefined): SubjectKey[] => {
  const name = object === undefined ? '' : tokenHolder(asKind(DirectClusterEndpointToken, object));
  return name === '' ? [] : [USER + name];
};

/** The subjects that gain or lose a token record. The subject of a record does not change. */
export const changedTokenHolder = perEvent((event): SubjectKey[] => {
  const [was, is] = [holderOfToken(before(event)), holderOfToken(after(event))];
  return was[0] === is[0] ? [] : [...was, ...is];
});

/** The subjects of a key whose identity or scope changed. */
export const changedCredential = perEvent((event): SubjectKey[] => {
  const [was, is] = [before(event), after(event)];
  if (was === undefined || is === undefined) return [];
  const of = (object: KubeObject): unknown => {
    const { scope, groups = [], clusterRole, disabled = false } = asKind(OwnedAccessKey, object).spec ?? {};
    return { scope, groups, clusterRole, disabled };
  };
  return sameJson(of(was), of(is)) ? [] : holderOf(was);
});
