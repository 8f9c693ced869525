/**
 * Decides whether secrets may be in the places of an owner: by the verb `sync` that the secret itself gives to the
 * owner. Roles, and owning the secret, do not count: they say who may read it, not where it may be.
 */
import { TEAM_GROUP, type ObjectRight, type Owner } from '../sharing/rights.js';
import { quote } from '../../apimachinery/errors.js';
import type { Holder, Verdict } from '../standingrights/standing.js';
import { isSubject } from '../sharing/objectrights/decide.js';
import type { StandingRights } from '../standingrights/standingrights.js';

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

/** Rights by key. */
export class SyncRights {
  constructor(private readonly rights: StandingRights) {}

  /** Calls `changed` with the key of a right when the result of {@link check} for it may have changed. */
  follow(changed: (key: string) => void): { cancel(): void } {
    return this.rights.follow(changed);
  }

  forget(key: string): void {
    this.rights.forget(key);
  }

  /**
   * Checks the right of the owner. The result does not reveal whether the secret exists. Throws if the right cannot
   * be determined now.
   */
  check(key: string, right: SyncRight): Verdict {
    const { owner, plural, namespace, name, grants } = right;
    const { user = '', team = '' } = owner;
    if (user === '' && team === '') return { holds: false, why: 'the instance has no owner' };
    const holder = this.rights.holder(owner);
    // A change of the secret is followed by others. So clusters that ask for what is not there leave nothing here.
    if (grants.length === 0) this.forget(key);
    const standing =
      grants.length === 0
        ? this.rights.holderNow(holder)
        : this.rights.watch(key, holder, { where: { namespace, resource: `${GROUP}/${plural}` } });
    if ('gone' in standing) return { holds: false, why: `${described(holder)} ${standing.gone}` };
    if (grants.some((grant) => isSubject(grant, standing.user)))
      return { holds: true, until: standing.until };
    const what = `${plural === 'sharedsecrets' ? 'SharedSecret' : 'ProjectSecret'} ${namespace}/${name}`;
    return { holds: false, why: `${described(holder)} may not sync ${what}` };
  }
}

const described = ({ name }: Holder): string =>
  name.startsWith(TEAM_GROUP) ? `team ${quote(name.slice(TEAM_GROUP.length))}` : `user ${quote(name)}`;
