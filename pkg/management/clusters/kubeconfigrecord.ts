/** The private record of the user by whose right a Cluster's kubeconfig is used. No client reads or writes it. */
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import type { Write } from '../../storage/interface.js';
import type { Change, TransactionObjects, Effects } from '../../registry/transaction/effects.js';
import type { Holder } from '../standingrights/standing.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

const RECORDS = 'private/clusterkubeconfigright/';

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

export interface KubeconfigRecord {
  /** The Secret that the Cluster named when the record was written. */
  readonly of: SecretName;
  /** The user who named it. */
  readonly holder: Holder;
  /** The uid of that Secret; absent if none was found. */
  readonly secret?: string;
}

export const kubeconfigRecordKey = (cluster: string): string => RECORDS + cluster;

/** Throws on a value that no server wrote. */
export const readKubeconfigRecord = (value: Buffer): KubeconfigRecord => parseStored<KubeconfigRecord>(value);

export const kubeconfigRecordValue = (record: KubeconfigRecord): Buffer =>
  Buffer.from(JSON.stringify(record));

/** Undefined if the Cluster names none. */
export function kubeconfigSecret(cluster: Cluster | undefined): SecretName | undefined {
  const { secretName: name = '', secretNamespace: namespace = '' } = cluster?.spec?.config ?? {};
  return name === '' ? undefined : { namespace, name };
}

/** Deletes the record with the Cluster, or when it names no Secret. Admission writes the record. */
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
