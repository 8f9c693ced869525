/** Notifies when a standing right may have changed. */
import type { User } from '../../authentication/interface.js';
import type { CacheEvent, ResourceCache } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import { sameJson } from '../../registry/object/metadata.js';
import type { Followed, RightsChanges } from '../visibility/rightschanges.js';

/** Objects whose end may end a right. `resource`: as {@link StandingRight.objects} names it. */
export interface FollowedCache {
  readonly resource: string;
  readonly cache: ResourceCache;
}

export interface StandingRightsWatcherParts {
  /** Notifies of changes of roles, users and members of teams. */
  readonly rights: RightsChanges;
  readonly others: readonly FollowedCache[];
}

/** The user of a right, its target, and the other objects that it ends with: `teams/ops`. */
export interface StandingRight {
  readonly user: User;
  readonly where: Followed;
  readonly objects: readonly string[];
}

interface Cancellable {
  cancel(): void;
}

/** Watches the rights passed to {@link StandingRightsWatcher.listen}, by key, until {@link StandingRightsWatcher.forget}. */
export class StandingRightsWatcher {
  private readonly followed = new Map<string, Cancellable>();
  private readonly resting = new Map<string, Set<string>>();
  private readonly listeners = new Set<(key: string) => void>();
  private readonly current: readonly (() => void)[];

  constructor(private readonly parts: StandingRightsWatcherParts) {
    this.current = parts.others.map(({ resource, cache }) =>
      onChanges(
        cache,
        (events) => {
          for (const event of events) if (matters(event)) this.tellOf(`${resource}/${event.entry.path}`);
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

  /** To be called before anything is read. Throws CacheUnavailable. */
  ensure(): void {
    for (const ensure of this.current) ensure();
  }

  listen(key: string, { user, where, objects }: StandingRight): void {
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

/** Whether an object went, came, or says something else than before. */
const matters = ({ deleted, previous, entry }: CacheEvent): boolean =>
  deleted || previous === undefined || !sameJson(previous.object().spec, entry.object().spec);
