/** Decides whether mirrors of SharedSecrets may keep their data: by the current rights of the users they depend on. */
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import { requestFor } from '../../apimachinery/attributes.js';
import type { KubeObject } from '../../../api/resource.js';
import { sameSource, type SecretSource } from '../../../api/management.svc.example/secretsource.js';
import { quote } from '../../apimachinery/errors.js';
import { sameJson } from '../../registry/object/metadata.js';
import {
  knownSource,
  mirrorRecordKey,
  mirrorRecordValue,
  readMirrorRecord,
  type MirrorRecord,
} from './mirrorrecord.js';
import type { Holder, Verdict } from '../standingrights/standing.js';
import type { Storage, StoredRecord } from '../../storage/interface.js';
import type { StandingRights } from '../standingrights/standingrights.js';

const GROUP = 'management.svc.example';

/** Mirrors by `namespace/name`. */
export class MirrorRights {
  constructor(
    private readonly storage: Pick<Storage, 'get' | 'commit'>,
    private readonly rights: StandingRights,
  ) {}

  /** Calls `changed` with `namespace/name` of a mirror when the result of {@link check} for it may have changed. */
  follow(changed: (mirror: string) => void): { cancel(): void } {
    return this.rights.follow(changed);
  }

  forget(mirror: string): void {
    this.rights.forget(mirror);
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
    const { record: stored } = await this.storage.get(mirrorRecordKey({ namespace, name }));
    if (stored === undefined) return { holds: false, why: `no record says who may get ${pathOf(source)}` };
    const record = readMirrorRecord(stored.value);
    if (!sameSource(record.of, source)) throw new Error('the mirror has other labels by now');
    const { holder, source: before } = record;
    const where = { namespace: source.namespace, resource: `${GROUP}/sharedsecrets` };
    const standing = this.rights.watch(`${namespace}/${name}`, holder, { where });
    if ('gone' in standing) return { holds: false, why: `${described(holder)} ${standing.gone}` };
    const found = find();
    if (found === undefined) return { holds: true, until: standing.until };
    const now = knownSource(found);
    if (before !== undefined && before.uid !== now.uid && !sameJson(before.owner, now.owner))
      return { holds: false, why: `${pathOf(source)} was deleted and created again by another` };
    if (!(await this.rights.allows(standing.user, requestFor('get', SharedSecret, source))))
      return { holds: false, why: `${described(holder)} may not get ${pathOf(source)} any more` };
    if (before?.uid !== now.uid) await this.write(mirror, stored, { of: source, holder, source: now });
    return { holds: true, until: standing.until };
  }

  private async write(
    { metadata: { namespace = '', name = '' } }: KubeObject,
    { revision }: StoredRecord,
    record: MirrorRecord,
  ): Promise<void> {
    const key = mirrorRecordKey({ namespace, name });
    const write = { key, value: mirrorRecordValue(record), expect: revision };
    const mirror = `registry/${GROUP}/projectsecrets/${namespace}/${name}`;
    await this.storage.commit([write], [{ key: mirror, expect: 'present' }]);
  }
}

const pathOf = ({ namespace, name }: SecretSource): string => `SharedSecret ${namespace}/${name}`;
const described = ({ name }: Holder): string => `user ${quote(name)}`;
