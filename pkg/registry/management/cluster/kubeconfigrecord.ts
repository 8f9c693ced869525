/** On whose right the kubeconfig of a Cluster is used: a private record beside it, which no client reads or writes. */
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { Write } from '../../../storage/interface.js';
import type { Change, TransactionObjects, Effects } from '../../transaction/effects.js';
import type { Holder } from '../projectsecret/mirrorrecord.js';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';

const RECORDS = 'private/clusterkubeconfigright/';

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

export interface KubeconfigRecord {
  /** The Secret that the Cluster named when it was written. */
  readonly of: SecretName;
  /** Who named it. Absent: a release that kept no record let somebody. */
  readonly holder?: Holder;
  /** The uid of that Secret; absent while none was found. */
  readonly secret?: string;
}

export const kubeconfigRecordKey = (cluster: string): string => RECORDS + cluster;

/** Throws on a value that no release wrote. */
export const readKubeconfigRecord = (value: Buffer): KubeconfigRecord => parseStored<KubeconfigRecord>(value);

export const kubeconfigRecordValue = (record: KubeconfigRecord): Buffer =>
  Buffer.from(JSON.stringify(record));

/** Undefined where the Cluster names none. */
export function kubeconfigSecret(cluster: Cluster | undefined): SecretName | undefined {
  const { secretName: name = '', secretNamespace: namespace = '' } = cluster?.spec?.config ?? {};
  return name === '' ? undefined : { namespace, name };
}

/** The record goes with the Cluster, and with what it names. Who names a Secret is recorded as that is admitted. */
export async function kubeconfigEffects(
  { next, previous }: Change<Cluster>,
  { record }: Pick<TransactionObjects, 'record'>,
): Promise<Effects> {
  if (kubeconfigSecret(next) !== undefined || kubeconfigSecret(previous) === undefined) return NOTHING;
  const key = kubeconfigRecordKey(previous?.metadata.name ?? '');
  const writes: Write[] = (await record(key)) === undefined ? [] : [{ key, expect: 'any' }];
  return { writes, guards: [] };
}

const NOTHING: Effects = { writes: [], guards: [] };
