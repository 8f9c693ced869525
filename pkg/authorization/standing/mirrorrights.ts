/** Whether mirrors of SharedSecrets may still have their data: by the rights of those whom they rest on, as these are now. */
import type { KubeObject } from '../../../api/resource.js';
import type { SecretSource } from '../../../api/management.svc.example/v1/secretsource.js';
import { sameSource } from '../../../api/management.svc.example/v1/secretsource.js';
import { TEAM_GROUP, ownerOf } from '../../apimachinery/access/rights.js';
import { quote } from '../../apimachinery/errors.js';
import type { User } from '../../authentication/interface.js';
import type { CacheEvent, ResourceCache } from '../../cache/interface.js';
import { onChanges } from '../../cache/onchanges.js';
import { sameJson } from '../../registry/metadata.js';
import type { Holder, MirrorRecord } from '../../registry/management/projectsecret/mirrorrecord.js';
import {
  knownSource,
  mirrorRecordKey,
  mirrorRecordValue,
  readMirrorRecord,
} from '../../registry/management/projectsecret/mirrorrecord.js';
import type { Storage, StoredRecord } from '../../storage/interface.js';
import type { Authorizer } from '../interface.js';
import type { RightsFeed } from '../visibility/feed.js';
import type { People } from './standing.js';
import { holderOf, restsOn, standingOf } from './standing.js';

const GROUP = 'management.svc.example';
const SOURCES = `${GROUP}/sharedsecrets`;

export interface MirrorRightsParts {
  readonly storage: Pick<Storage, 'get' | 'commit'>;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly people: People;
  /** Tells of roles, users and members of teams. */
  readonly feed: RightsFeed;
  /** `teams`, `ownedaccesskeys` and, where they are kept here, `serviceaccounts`. */
  readonly others: readonly { readonly resource: string; readonly cache: ResourceCache }[];
  /** ms since 1970. */
  readonly now?: () => number;
}

/** `until`: when to ask again although nothing told of a change, in ms since 1970. */
export type Verdict =
  | { readonly holds: true; readonly until: number | undefined }
  | { readonly holds: false; readonly why: string; readonly until?: undefined };

interface Followed {
  cancel(): void;
}

/** One for each process; it follows the mirrors that were judged until {@link MirrorRights.forget}. */
export class MirrorRights {
  private readonly followed = new Map<string, Followed>();
  /** Mirrors by the objects whose end ends the right that they rest on: `teams/ops`. */
  private readonly resting = new Map<string, Set<string>>();
  private readonly listeners = new Set<(mirror: string) => void>();
  private readonly current: readonly (() => void)[];
  private readonly now: () => number;

  constructor(private readonly parts: MirrorRightsParts) {
    this.now = parts.now ?? Date.now;
    this.current = parts.others.map(({ resource, cache }) =>
      onChanges(
        cache,
        (events) => {
          for (const event of events) if (matters(event)) this.tellOf(`${resource}/${pathIn(event)}`);
        },
        () => this.tellAll(),
      ),
    );
  }

  /** Calls `changed` with `namespace/name` of a mirror when what {@link judge} said of it may be otherwise now. */
  follow(changed: (mirror: string) => void): Followed {
    this.listeners.add(changed);
    return { cancel: () => void this.listeners.delete(changed) };
  }

  forget(mirror: string): void {
    this.followed.get(mirror)?.cancel();
    this.followed.delete(mirror);
  }

  /**
   * Asks for the right that a mirror rests on. `find`: the source as it is now. Rejects where that cannot be known, and where
   * another writer came first.
   */
  async judge(
    mirror: KubeObject,
    source: SecretSource,
    find: () => KubeObject | undefined,
  ): Promise<Verdict> {
    const { namespace = '', name = '' } = mirror.metadata;
    const { record: stored } = await this.parts.storage.get(mirrorRecordKey(namespace, name));
    const record = stored && readMirrorRecord(stored.value);
    if (record !== undefined && !sameSource(record.of, source))
      throw new Error('the mirror has other labels by now');
    const holder = record?.holder ?? this.ownersHolder(mirror);
    for (const ensure of this.current) ensure();
    const standing = standingOf(holder, this.parts.people, this.now());
    if ('gone' in standing) {
      this.listen(mirror, holder, { name: holder.name, uid: '', groups: [], extra: {} }, source);
      return { holds: false, why: `${described(holder)} ${standing.gone}` };
    }
    this.listen(mirror, holder, standing.user, source);
    const found = find();
    if (found === undefined) return { holds: true, until: standing.until };
    const now = knownSource(found);
    const before = record?.source;
    if (before !== undefined && before.uid !== now.uid && !sameJson(before.owner, now.owner))
      return { holds: false, why: `${pathOf(source)} was deleted and made anew by another` };
    const asked = {
      ...source,
      ...({ kind: 'resource', verb: 'get', group: GROUP, version: 'v1' } as const),
      ...{ resource: 'sharedsecrets', subresource: '' },
    } as const;
    if (!(await this.parts.authorizer.authorize(standing.user, asked)).allowed)
      return { holds: false, why: `${described(holder)} may not get ${pathOf(source)} any more` };
    if (before?.uid !== now.uid) await this.write(mirror, stored, { of: source, holder, source: now });
    return { holds: true, until: standing.until };
  }

  /** Mirrors of releases that kept no record rest on their owner. */
  private ownersHolder(mirror: KubeObject): Holder {
    const { user = '', team = '' } = ownerOf(mirror);
    const name = user === '' && team !== '' ? TEAM_GROUP + team : user;
    return holderOf({ name, uid: '', groups: [], extra: {} }, this.parts.people, this.now());
  }

  private async write(
    { metadata: { namespace = '', name = '' } }: KubeObject,
    stored: StoredRecord | undefined,
    record: MirrorRecord,
  ): Promise<void> {
    const key = mirrorRecordKey(namespace, name);
    const write = { key, value: mirrorRecordValue(record), expect: stored?.revision ?? ('absent' as const) };
    const mirror = `registry/${GROUP}/projectsecrets/${namespace}/${name}`;
    await this.parts.storage.commit([write], [{ key: mirror, expect: 'present' }]);
  }

  private listen(
    { metadata: { namespace = '', name = '' } }: KubeObject,
    holder: Holder,
    user: User,
    source: SecretSource,
  ): void {
    const mirror = `${namespace}/${name}`;
    this.forget(mirror);
    const rights = this.parts.feed.follow(user, { namespace: source.namespace, resource: SOURCES }, () =>
      this.tell(mirror),
    );
    const objects = restsOn(holder);
    for (const object of objects) {
      const mirrors = this.resting.get(object) ?? new Set();
      this.resting.set(object, mirrors.add(mirror));
    }
    this.followed.set(mirror, {
      cancel: () => {
        rights.cancel();
        for (const object of objects) {
          const mirrors = this.resting.get(object);
          if (mirrors?.delete(mirror) === true && mirrors.size === 0) this.resting.delete(object);
        }
      },
    });
  }

  private tellOf(object: string): void {
    for (const mirror of this.resting.get(object) ?? []) this.tell(mirror);
  }

  private tell(mirror: string): void {
    for (const listener of this.listeners) listener(mirror);
  }

  private tellAll(): void {
    for (const mirror of this.followed.keys()) this.tell(mirror);
  }
}

/** Whether an object went, came, or says something else than before. */
const matters = ({ deleted, previous, entry }: CacheEvent): boolean =>
  deleted || previous === undefined || !sameJson(previous.object().spec, entry.object().spec);

const pathIn = ({ entry: { namespace, name } }: CacheEvent): string =>
  namespace === '' ? name : `${namespace}/${name}`;

const pathOf = ({ namespace, name }: SecretSource): string => `SharedSecret ${namespace}/${name}`;
const described = ({ name }: Holder): string => `user ${quote(name)}`;
