/** Decides whether secrets may be in the places of an owner: by the owner's current right to `sync` or `get` them. */
import { TEAM_GROUP } from '../../management/access/rights.js';
import type { Owner } from '../../management/access/rights.js';
import { quote } from '../../apimachinery/errors.js';
import type { Holder } from '../../registry/management/projectsecret/mirrorrecord.js';
import type { Authorizer } from '../interface.js';
import type { People, Verdict } from './standing.js';
import { dependenciesOf, ownersHolder, standingOf, userNamed } from './standing.js';
import type { StandingRightsWatcher } from './standingrightswatcher.js';

const GROUP = 'management.svc.example';
const VERBS = ['sync', 'get'] as const;

/** The user of a right, and its target. */
export interface SyncRight {
  readonly owner: Owner;
  readonly plural: 'sharedsecrets' | 'projectsecrets';
  readonly namespace: string;
  readonly name: string;
}

export interface SyncRightsParts {
  readonly authorizer: Pick<Authorizer, 'authorize'>;
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
   * Checks the right of the owner. The result does not reveal whether the secret exists. Rejects if the right cannot
   * be determined now.
   */
  async check(key: string, right: SyncRight): Promise<Verdict> {
    const { watcher, people, authorizer } = this.parts;
    const { owner, plural, namespace, name } = right;
    const { user = '', team = '' } = owner;
    if (user === '' && team === '') return { holds: false, why: 'the instance has no owner' };
    watcher.ensure();
    const holder = ownersHolder(owner, people, this.now());
    const standing = standingOf(holder, people, this.now());
    const who = 'gone' in standing ? userNamed(holder.name) : standing.user;
    const where = { namespace, resource: `${GROUP}/${plural}` };
    watcher.listen(key, { user: who, where, objects: dependenciesOf(holder) });
    if ('gone' in standing) return { holds: false, why: `${described(holder)} ${standing.gone}` };
    for (const verb of VERBS) {
      const asked = {
        ...({ kind: 'resource', verb, group: GROUP, version: 'v1' } as const),
        ...{ resource: plural, subresource: '', namespace, name },
      } as const;
      if ((await authorizer.authorize(standing.user, asked)).allowed)
        return { holds: true, until: standing.until };
    }
    const what = `${plural === 'sharedsecrets' ? 'SharedSecret' : 'ProjectSecret'} ${namespace}/${name}`;
    return { holds: false, why: `${described(holder)} may neither sync nor get ${what}` };
  }
}

const described = ({ name }: Holder): string =>
  name.startsWith(TEAM_GROUP) ? `team ${quote(name.slice(TEAM_GROUP.length))}` : `user ${quote(name)}`;
