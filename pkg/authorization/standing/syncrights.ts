/**
 * Decides whether secrets may be in the places of an owner: by the verb `sync` that the secret itself gives to the
 * owner. Roles, and owning the secret, do not count: they say who may read it, not where it may be.
 */
import { TEAM_GROUP } from '../../management/access/rights.js';
import type { ObjectRight, Owner } from '../../management/access/rights.js';
import { quote } from '../../apimachinery/errors.js';
import type { Holder } from '../../registry/management/projectsecret/mirrorrecord.js';
import { isSubject } from '../objectrights/decide.js';
import type { People, Verdict } from './standing.js';
import { dependenciesOf, ownersHolder, standingOf, userNamed } from './standing.js';
import type { StandingRightsWatcher } from './standingrightswatcher.js';

const GROUP = 'management.svc.example';

/** The user of a right, and its target. */
export interface SyncRight {
  readonly owner: Owner;
  readonly plural: 'sharedsecrets' | 'projectsecrets';
  readonly namespace: string;
  readonly name: string;
  /** The subjects to whom the secret gives the verb; none if it does not exist. */
  readonly grants: readonly ObjectRight[];
}

export interface SyncRightsParts {
  readonly people: People;
  /** As for mirrors, with rights by key. */
  readonly watcher: StandingRightsWatcher;
  /** ms since 1970. */
  readonly now?: () => number;
}

/** One for each process. Watches checked rights until {@link SyncRights.forget}. */
export class SyncRights {
  private readonly now: () => number;

  constructor(private readonly parts: SyncRightsParts) {
    this.now = parts.now ?? Date.now;
  }

  /** Calls `changed` with the key of a right when the result of {@link check} for it may have changed. */
  follow(changed: (key: string) => void): { cancel(): void } {
    return this.parts.watcher.follow(changed);
  }

  forget(key: string): void {
    this.parts.watcher.forget(key);
  }

  /**
   * Checks the right of the owner. The result does not reveal whether the secret exists. Throws if the right cannot
   * be determined now.
   */
  check(key: string, right: SyncRight): Verdict {
    const { watcher, people } = this.parts;
    const { owner, plural, namespace, name, grants } = right;
    const { user = '', team = '' } = owner;
    if (user === '' && team === '') return { holds: false, why: 'the instance has no owner' };
    watcher.ensure();
    const holder = ownersHolder(owner, people, this.now());
    const standing = standingOf(holder, people, this.now());
    const who = 'gone' in standing ? userNamed(holder.name) : standing.user;
    // A change of the secret is followed by others. So clusters that ask for what is not there leave nothing here.
    if (grants.length > 0) {
      const where = { namespace, resource: `${GROUP}/${plural}` };
      watcher.listen(key, { user: who, where, objects: dependenciesOf(holder) });
    } else watcher.forget(key);
    if ('gone' in standing) return { holds: false, why: `${described(holder)} ${standing.gone}` };
    if (grants.some((grant) => isSubject(grant, standing.user)))
      return { holds: true, until: standing.until };
    const what = `${plural === 'sharedsecrets' ? 'SharedSecret' : 'ProjectSecret'} ${namespace}/${name}`;
    return { holds: false, why: `${described(holder)} may not sync ${what}` };
  }
}

const described = ({ name }: Holder): string =>
  name.startsWith(TEAM_GROUP) ? `team ${quote(name.slice(TEAM_GROUP.length))}` : `user ${quote(name)}`;
