/**
 * On whose right a binding inside a virtual cluster rests, which a kubeconfig of it brought: a private record that no client
 * reads or writes. It is there before the binding is, so that nothing is bound that nobody takes away again.
 */
import { createHash } from 'node:crypto';
import type { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { Storage } from '../../../storage/interface.js';
import { StorageError } from '../../../storage/interface.js';
import type { Holder } from '../projectsecret/mirrorrecord.js';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';

/** In the cache with the objects; no kind is served from it. */
export const BINDING_RECORDS = {
  resource: 'private/virtualclusterbindings',
  prefix: 'registry/private/virtualclusterbindings/',
} as const;

/** Where a virtual cluster lies. */
export interface Place {
  readonly cluster: string;
  readonly namespace: string;
  readonly virtualCluster: string;
}

export interface BindingRecord {
  /** The instance that had the virtual cluster. */
  readonly instance: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly place: Place;
  /** URL by which it was reached. */
  readonly server: string;
  readonly holder: Holder;
  /** The name of the ClusterRoleBinding in it. */
  readonly binding: string;
  /** When a kubeconfig was asked for last, in ms since 1970. */
  readonly written: number;
  /** When the last of the certificates ends, in ms since 1970. */
  readonly end: number;
}

/** Throws on a value that no release wrote. */
export const readBindingRecord = (value: Buffer): BindingRecord => parseStored<BindingRecord>(value);

/** A user has one in each virtual cluster, by way of whichever instance. */
export function bindingRecordName({ cluster, namespace, virtualCluster }: Place, user: string): string {
  const text = JSON.stringify([cluster, namespace, virtualCluster, user]);
  return createHash('sha256').update(text).digest('hex');
}

/** Undefined for an instance that is nowhere yet. */
export function placeOf(instance: VirtualClusterInstance): Place | undefined {
  const { clusterRef } = instance.spec ?? {};
  const { cluster = '', namespace = '', virtualCluster = '' } = clusterRef ?? {};
  if (cluster === '' || namespace === '' || virtualCluster === '') return undefined;
  return { cluster, namespace, virtualCluster };
}

/** How often others may come first. */
const ATTEMPTS = 10;

/** Keeps the record; the end of one that is there already counts where it is later. Rejects with StorageError. */
export async function keepBindingRecord(
  storage: Pick<Storage, 'get' | 'commit'>,
  record: BindingRecord,
): Promise<void> {
  const key = BINDING_RECORDS.prefix + bindingRecordName(record.place, record.holder.name);
  for (let attempt = 1; ; attempt += 1) {
    const { record: stored } = await storage.get(key);
    const before = stored === undefined ? undefined : readBindingRecord(stored.value);
    const value = Buffer.from(JSON.stringify({ ...record, end: Math.max(record.end, before?.end ?? 0) }));
    try {
      await storage.commit([{ key, value, expect: stored?.revision ?? 'absent' }]);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !isMet(error)) throw error;
    }
  }
}

/** Removes the record unless it has been written since. */
export async function dropBindingRecord(
  storage: Pick<Storage, 'commit'>,
  name: string,
  revision: number,
): Promise<void> {
  try {
    await storage.commit([{ key: BINDING_RECORDS.prefix + name, expect: revision }]);
  } catch (error) {
    if (!isMet(error)) throw error;
  }
}

/** Whether another writer came first. */
const isMet = (error: unknown): boolean =>
  error instanceof StorageError && ['not found', 'conflict', 'exists'].includes(error.failure.code);
