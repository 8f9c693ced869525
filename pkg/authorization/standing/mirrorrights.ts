/** Decides whether mirrors of SharedSecrets may keep their data: by the current rights of the users they depend on. */
import type { KubeObject } from '../../../api/resource.js';
import type { SecretSource } from '../../../api/management.svc.example/v1/secretsource.js';
import { sameSource } from '../../../api/management.svc.example/v1/secretsource.js';
import { quote } from '../../apimachinery/errors.js';
import type { User } from '../../authentication/interface.js';
import { sameJson } from '../../registry/object/metadata.js';
import type { Holder, MirrorRecord } from '../../registry/management/projectsecret/mirrorrecord.js';
import {
  knownSource,
  mirrorRecordKey,
  mirrorRecordValue,
  readMirrorRecord,
} from '../../registry/management/projectsecret/mirrorrecord.js';
import type { Storage, StoredRecord } from '../../storage/interface.js';
import type { Authorizer } from '../interface.js';
import type { People, Verdict } from './standing.js';
import { dependenciesOf, standingOf, userNamed } from './standing.js';
import type { StandingRightsWatcher } from './standingrightswatcher.js';

const GROUP = 'management.svc.example';
const SOURCES = `${GROUP}/sharedsecrets`;

export interface MirrorRightsParts {
  readonly storage: Pick<Storage, 'get' | 'commit'>;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly people: People;
  /** With `teams`, `ownedaccesskeys` and, where they are kept here, `serviceaccounts`. Mirrors by `namespace/name`. */
  readonly watcher: StandingRightsWatcher;
  /** ms since 1970. */
  readonly now?: () => number;
}

/** One for each process. Watches checked mirrors until {@link MirrorRights.forget}. */
export class MirrorRights {
  private readonly now: () => number;

  constructor(private readonly parts: MirrorRightsParts) {
    this.now = parts.now ?? Date.now;
  }

  /** Calls `changed` with `namespace/name` of a mirror when the result of {@link check} for it may have changed. */
  follow(changed: (mirror: string) => void): { cancel(): void } {
    return this.parts.watcher.follow(changed);
  }

  forget(mirror: string): void {
    this.parts.watcher.forget(mirror);
  }

  /**
   * Checks the right that a mirror depends on. `find`: the current source. Rejects if it cannot be determined, and
   * after a conflict with another writer.
   */
  async check(
    mirror: KubeObject,
    source: SecretSource,
    find: () => KubeObject | undefined,
  ): Promise<Verdict> {
    const { namespace = '', name = '' } = mirror.metadata;
    const { record: stored } = await this.parts.storage.get(mirrorRecordKey(namespace, name));
    if (stored === undefined) return { holds: false, why: `no record says who may get ${pathOf(source)}` };
    const record = readMirrorRecord(stored.value);
    if (!sameSource(record.of, source)) throw new Error('the mirror has other labels by now');
    const { holder, source: before } = record;
    this.parts.watcher.ensure();
    const standing = standingOf(holder, this.parts.people, this.now());
    if ('gone' in standing) {
      this.listen(mirror, holder, userNamed(holder.name), source);
      return { holds: false, why: `${described(holder)} ${standing.gone}` };
    }
    this.listen(mirror, holder, standing.user, source);
    const found = find();
    if (found === undefined) return { holds: true, until: standing.until };
    const now = knownSource(found);
    if (before !== undefined && before.uid !== now.uid && !sameJson(before.owner, now.owner))
      return { holds: false, why: `${pathOf(source)} was deleted and created again by another` };
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

  private async write(
    { metadata: { namespace = '', name = '' } }: KubeObject,
    { revision }: StoredRecord,
    record: MirrorRecord,
  ): Promise<void> {
    const key = mirrorRecordKey(namespace, name);
    const write = { key, value: mirrorRecordValue(record), expect: revision };
    const mirror = `registry/${GROUP}/projectsecrets/${namespace}/${name}`;
    await this.parts.storage.commit([write], [{ key: mirror, expect: 'present' }]);
  }

  private listen(
    { metadata: { namespace = '', name = '' } }: KubeObject,
    holder: Holder,
    user: User,
    source: SecretSource,
  ): void {
    this.parts.watcher.listen(`${namespace}/${name}`, {
      user,
      where: { namespace: source.namespace, resource: SOURCES },
      objects: dependenciesOf(holder),
    });
  }
}

const pathOf = ({ namespace, name }: SecretSource): string => `SharedSecret ${namespace}/${name}`;
const described = ({ name }: Holder): string => `user ${quote(name)}`;
