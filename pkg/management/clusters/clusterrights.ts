/**
 * Decides whether the kubeconfigs of Clusters may be used: by the current rights of the users who set the reference to
 * the Secret.
 */
import { Secret } from '../../../api/core/v1/secret.js';
import { requestFor } from '../../apimachinery/attributes.js';
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import type { KubeObject } from '../../../api/resource.js';
import { quote } from '../../apimachinery/errors.js';
import {
  kubeconfigRecordKey,
  kubeconfigRecordValue,
  kubeconfigSecret,
  readKubeconfigRecord,
  type KubeconfigRecord,
  type SecretName,
} from './kubeconfigrecord.js';
import { sameJson } from '../../registry/object/metadata.js';
import { StorageError, type Storage, type StoredRecord } from '../../storage/interface.js';
import type { StandingRights } from '../standingrights/standingrights.js';

const CLUSTERS = 'registry/management.svc.example/clusters/';

export type KubeconfigVerdict = { readonly holds: true } | { readonly holds: false; readonly why: string };

/** Clusters by their names. */
export class ClusterRights {
  constructor(
    private readonly storage: Pick<Storage, 'get' | 'commit'>,
    private readonly rights: StandingRights,
  ) {}

  /** Calls `changed` with the name of a watched Cluster when the result of {@link check} for it may have changed. */
  follow(changed: (cluster: string) => void): { cancel(): void } {
    return this.rights.follow(changed);
  }

  forget(cluster: string): void {
    this.rights.forget(cluster);
  }

  /**
   * Follows the right that the kubeconfig of the Cluster rests on. Answers when it may end with nothing having changed, in ms
   * since 1970. Rejects with StorageError.
   */
  async watch(cluster: Cluster): Promise<number | undefined> {
    const { name = '' } = cluster.metadata;
    const secret = kubeconfigSecret(cluster);
    const holder = secret && (await this.read(name)).record?.holder;
    if (secret === undefined || holder === undefined) {
      this.forget(name);
      return undefined;
    }
    const where = { namespace: secret.namespace, resource: 'core/secrets' };
    const standing = this.rights.watch(name, holder, { where, lastMs: Infinity });
    return 'gone' in standing ? undefined : standing.until;
  }

  /**
   * Checks the right to use the kubeconfig in `secret`, and records that Secret if it was not recorded yet. Rejects
   * with StorageError, and if rights cannot be determined.
   */
  async check(cluster: Cluster, secret: KubeObject): Promise<KubeconfigVerdict> {
    const { name = '' } = cluster.metadata;
    const of = kubeconfigSecret(cluster);
    if (of === undefined) return no('the cluster names no Secret');
    const { record, stored } = await this.read(name);
    if (record === undefined || stored === undefined) return no(`no record says who may get ${pathOf(of)}`);
    if (!sameJson(record.of, of)) return no('the cluster names another Secret by now');
    const { uid = '' } = secret.metadata;
    if (record.secret !== undefined && record.secret !== uid)
      return no(`${pathOf(of)} was deleted and created again`);
    const why = await this.refusal(record);
    if (why !== undefined) return no(why);
    if (record.secret !== undefined || (await this.write(name, stored, { ...record, secret: uid })))
      return { holds: true };
    return this.check(cluster, secret);
  }

  /** The reason why the user who set the reference may no longer do so. */
  private async refusal({ holder, of }: KubeconfigRecord): Promise<string | undefined> {
    const who = `user ${quote(holder.name)}`;
    const standing = this.rights.holderNow(holder, Infinity);
    if ('gone' in standing) return `${who} ${standing.gone}`;
    const allowed = await this.rights.allows(standing.user, requestFor('get', Secret, of));
    return allowed ? undefined : `${who} may not get ${pathOf(of)} any more`;
  }

  private async read(
    cluster: string,
  ): Promise<{ record: KubeconfigRecord | undefined; stored: StoredRecord | undefined }> {
    const { record: stored } = await this.storage.get(kubeconfigRecordKey(cluster));
    return { stored, record: stored && readKubeconfigRecord(stored.value) };
  }

  /** Answers false where another came first. */
  private async write(
    cluster: string,
    { revision: expect }: StoredRecord,
    record: KubeconfigRecord,
  ): Promise<boolean> {
    const write = { key: kubeconfigRecordKey(cluster), value: kubeconfigRecordValue(record), expect };
    try {
      await this.storage.commit([write], [{ key: CLUSTERS + cluster, expect: 'present' }]);
      return true;
    } catch (error) {
      if (error instanceof StorageError && error.failure.code === 'conflict') return false;
      throw error;
    }
  }
}

const no = (why: string): KubeconfigVerdict => ({ holds: false, why });
const pathOf = ({ namespace, name }: SecretName): string => `Secret ${namespace}/${name}`;
