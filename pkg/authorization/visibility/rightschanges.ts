/** Tells whose rights may have changed, in the turn of the loop in which the change comes in. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Team } from '../../../api/management.svc.example/v1/team.js';
import type { User as UserObject } from '../../../api/management.svc.example/v1/user.js';
import { TEAM_GROUP } from '../../management/access/rights.js';
import { PRIVILEGED_GROUP } from '../../authentication/groups.js';
import type { IdentityCaches } from '../../authentication/identities/caches.js';
import type { User } from '../../authentication/interface.js';
import type { CacheEvent } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import { sameJson } from '../../registry/object/metadata.js';
import type { RightsChange } from '../rbac/policy.js';
import type { SubjectKey } from '../rbac/subjects.js';
import { GROUP, USER, keysOf } from '../rbac/subjects.js';

/** `rights`: they may do more or less than before; `identity`: they may be somebody else now, in other groups. */
export type ChangeOf = 'rights' | 'identity';

export interface RightsChanges {
  /**
   * Calls `changed` for what concerns the user there (`''`: in any namespace) and the kind (`group/plural`), until it is
   * cancelled.
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

/** What `system:masters` may do does not change, unless a scope narrows it. */
export const maySeeAllForGood = ({ groups, scope }: User): boolean =>
  scope === undefined && groups.includes(PRIVILEGED_GROUP);

/** `onRights`: of what decides by roles. */
export function rightsChanges(
  onRights: (listener: (change: RightsChange) => void) => void,
  { users, teams, keys }: IdentityCaches,
): RightsChanges {
  const followers = new Map<SubjectKey, Set<Subscriber>>();

  function tell(change: Omit<RightsChange, 'keys'>, concerned: Iterable<SubjectKey>, what: ChangeOf): void {
    for (const key of concerned)
      for (const follower of followers.get(key) ?? []) if (concerns(change, follower)) follower.changed(what);
  }
  const everyone = (): void => tell(EVERYWHERE, followers.keys(), 'identity');

  onRights((change) => tell(change, change.keys ?? followers.keys(), 'rights'));
  const each = (concerned: (event: CacheEvent) => readonly SubjectKey[], what: ChangeOf) => {
    return (events: readonly CacheEvent[]): void => {
      if (followers.size > 0) for (const event of events) tell(EVERYWHERE, concerned(event), what);
    };
  };
  const current = [
    onChanges(users, each(changedUser, 'identity'), everyone),
    onChanges(teams, each(changedMembers, 'identity'), everyone),
    onChanges(keys, each(changedKeyHolder, 'rights'), everyone),
    onChanges(keys, each(changedCredential, 'identity'), everyone),
  ];

  return {
    follow(user, where, changed) {
      if (maySeeAllForGood(user)) return { cancel: () => undefined };
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

function concerns({ namespace, resource }: Omit<RightsChange, 'keys'>, follower: Followed): boolean {
  if (resource !== undefined && resource !== follower.resource) return false;
  return namespace === '' || follower.namespace === '' || follower.namespace === namespace;
}

/** The state after a change; undefined after a delete. */
const after = ({ entry, deleted }: CacheEvent): unknown => (deleted ? undefined : entry.object());
const before = ({ previous }: CacheEvent): unknown => previous?.object();

/** Whose groups a change of a User changes. */
export function changedUser(event: CacheEvent): SubjectKey[] {
  const of = (object: unknown): unknown => {
    const { groups = [], disabled = false } = (object as UserObject | undefined)?.spec ?? {};
    return { groups, disabled, uid: (object as UserObject | undefined)?.metadata.uid };
  };
  return sameJson(of(before(event)), of(after(event))) ? [] : [USER + event.entry.name];
}

/** Who comes into a team or leaves it. */
export function changedMembers(event: CacheEvent): SubjectKey[] {
  const of = (object: unknown): readonly SubjectKey[] => {
    const { metadata, spec: { users = [], groups = [] } = {} } = (object as Team | undefined) ?? {};
    if (metadata?.deletionTimestamp !== undefined) return [];
    return [...users.map((user) => USER + user), ...groups.map((group) => GROUP + group)];
  };
  const [was, is] = [of(before(event)), of(after(event))];
  return [...was.filter((one) => !is.includes(one)), ...is.filter((one) => !was.includes(one))];
}

const holderOf = (object: unknown): SubjectKey[] => {
  const { user = '', team = '', subject = '' } = (object as OwnedAccessKey | undefined)?.spec ?? {};
  const name = user || (team === '' ? subject : TEAM_GROUP + team);
  return name === '' ? [] : [USER + name];
};

/** Who has a key more, or one less. */
export function changedKeyHolder(event: CacheEvent): SubjectKey[] {
  const [was, is] = [holderOf(before(event)), holderOf(after(event))];
  return was[0] === is[0] ? [] : [...was, ...is];
}

/** Whose key means something else than before. */
export function changedCredential(event: CacheEvent): SubjectKey[] {
  const [was, is] = [before(event), after(event)];
  if (was === undefined || is === undefined) return [];
  const of = (object: unknown): unknown => {
    const { scope, groups = [], disabled = false } = (object as OwnedAccessKey).spec ?? {};
    return { scope, groups, disabled };
  };
  return sameJson(of(was), of(is)) ? [] : holderOf(was);
}
