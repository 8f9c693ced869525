/** The rights that something goes on depending on after the request that made it. */
import type { ResourceAttributes } from '../../apimachinery/attributes.js';
import type { User } from '../../authentication/interface.js';
import type { CacheEvent, ResourceCache } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import { sameJson } from '../../registry/object/metadata.js';
import type { Followed, RightsChanges } from '../visibility/rightschanges.js';
import type { Owner } from '../sharing/rights.js';
import {
  type Holder,
  dependenciesOf,
  ownersHolder,
  standingOf,
  userNamed,
  type People,
  type Standing,
} from './standing.js';
import type { Authorizer } from '../../authorization/interface.js';

/** Objects whose end may end a right. `resource`: as {@link RightTarget.objects} names it. */
export interface FollowedCache {
  readonly resource: string;
  readonly cache: ResourceCache;
  /** It has no objects of the API, but records: each change of one matters. */
  readonly isRecord?: boolean;
}

export interface StandingRightsParts {
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly people: People;
  /** Notifies of changes of roles, users and members of teams. */
  readonly rights: RightsChanges;
  readonly others: readonly FollowedCache[];
  /** ms since 1970. */
  readonly now?: () => number;
}

/** What a right is to, and how long. */
export interface RightTarget {
  readonly where: Followed;
  /** Objects that the right ends with, besides those of its holder: `virtualclusterinstances/ns/a`. */
  readonly objects?: readonly string[];
  /** As of {@link standingOf}. */
  readonly lastMs?: number;
}

interface Cancellable {
  cancel(): void;
}

/**
 * The rights of one use, each by a key of that use: who has it now, and when that may change. One for each use and
 * process. Follows a right from {@link StandingRights.watch} until {@link StandingRights.forget}.
 */
export class StandingRights {
  readonly now: () => number;
  private readonly followed = new Map<string, Cancellable>();
  private readonly resting = new Map<string, Set<string>>();
  private readonly listeners = new Set<(key: string) => void>();
  private readonly current: readonly (() => void)[];

  constructor(private readonly parts: StandingRightsParts) {
    this.now = parts.now ?? Date.now;
    this.current = parts.others.map(({ resource, cache, isRecord = false }) =>
      onChanges(
        cache,
        (events) => {
          for (const event of events)
            if (isRecord || matters(event)) this.tellOf(`${resource}/${event.entry.path}`);
        },
        () => this.tellAll(),
      ),
    );
  }

  /** Calls `changed` with the key of a right that may have changed. */
  follow(changed: (key: string) => void): Cancellable {
    this.listeners.add(changed);
    return { cancel: () => void this.listeners.delete(changed) };
  }

  /** The owner of an object as the holder of a right. Throws CacheUnavailable. */
  holder(owner: Owner): Holder {
    this.ensure();
    return ownersHolder(owner, this.parts.people, this.now());
  }

  /**
   * Who the holder is now. Followers are notified of the key when that, or the rights of the holder to the target, may have
   * changed. Throws CacheUnavailable.
   */
  watch(key: string, holder: Holder, { where, objects = [], lastMs }: RightTarget): Standing {
    const standing = this.holderNow(holder, lastMs);
    const user = 'gone' in standing ? userNamed(holder.name) : standing.user;
    this.listen(key, user, where, [...dependenciesOf(holder, this.parts.people), ...objects]);
    return standing;
  }

  /** As {@link StandingRights.watch}, and follows nothing. */
  holderNow(holder: Holder, lastMs?: number): Standing {
    this.ensure();
    return standingOf(holder, this.parts.people, this.now(), lastMs);
  }

  async allows(user: User, asked: ResourceAttributes): Promise<boolean> {
    return (await this.parts.authorizer.authorize(user, asked)).allowed;
  }

  private ensure(): void {
    for (const ensure of this.current) ensure();
  }

  private listen(key: string, user: User, where: Followed, objects: readonly string[]): void {
    this.forget(key);
    const rights = this.parts.rights.follow(user, where, () => this.tell(key));
    for (const object of objects) {
      const keys = this.resting.get(object) ?? new Set();
      this.resting.set(object, keys.add(key));
    }
    this.followed.set(key, {
      cancel: () => {
        rights.cancel();
        for (const object of objects) {
          const keys = this.resting.get(object);
          if (keys?.delete(key) === true && keys.size === 0) this.resting.delete(object);
        }
      },
    });
  }

  forget(key: string): void {
    this.followed.get(key)?.cancel();
    this.followed.delete(key);
  }

  tell(key: string): void {
    for (const listener of this.listeners) listener(key);
  }

  private tellOf(object: string): void {
    for (const key of this.resting.get(object) ?? []) this.tell(key);
  }

  private tellAll(): void {
    for (const key of this.followed.keys()) this.tell(key);
  }
}

/** Whether an object went or is going, came, or says something else than before. */
function matters({ deleted, previous, entry }: CacheEvent): boolean {
  if (deleted || previous === undefined) return true;
  const [was, is] = [previous.object(), entry.object()];
  return was.metadata.deletionTimestamp !== is.metadata.deletionTimestamp || !sameJson(was.spec, is.spec);
}
