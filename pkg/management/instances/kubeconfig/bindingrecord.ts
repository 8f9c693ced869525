/**
 * Private records of the user by whose right a binding inside a virtual cluster exists. They are written before the
 * binding, so that every binding can be removed. No client reads or writes them.
 */
import { createHash } from 'node:crypto';
import type { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { KeyFingerprint } from '../../../apimachinery/user.js';
import type { Storage } from '../../../storage/interface.js';
import { isFailedPrecondition, unlessMoved } from '../../../storage/precondition.js';
import type { Holder } from '../../standingrights/standing.js';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';

/** Cached with the objects; not served. */
export const BINDING_RECORDS = {
  resource: 'private/virtualclusterbindings',
  prefix: 'registry/private/virtualclusterbindings/',
} as const;

/** The place of a virtual cluster. */
export interface Place {
  readonly cluster: string;
  readonly namespace: string;
  readonly virtualCluster: string;
}

export interface BindingRecord {
  /** The instance of the virtual cluster. */
  readonly instance: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly place: Place;
  /** The URL of its ingress. */
  readonly server: string;
  readonly holder: Holder;
  /** The access key that the certificates end with. */
  readonly madeWith?: KeyFingerprint;
  /** The name of the ClusterRoleBinding inside. */
  readonly binding: string;
  /** The time of the last request for a kubeconfig, in ms since 1970. */
  readonly written: number;
  /** The expiry of the last certificate, in ms since 1970; before the first is issued, a time after the end of the request. */
  readonly end: number;
}

/** Throws on a value that no release wrote. */
export const readBindingRecord = (value: Buffer): BindingRecord => parseStored<BindingRecord>(value);

/** A binding has one record, whichever instance its user uses. */
export function bindingRecordName({ cluster, namespace, virtualCluster }: Place, binding: string): string {
  const text = JSON.stringify([cluster, namespace, virtualCluster, binding]);
  return createHash('sha256').update(text).digest('hex');
}

/** Undefined for an instance without a place. */
export function placeOf(instance: VirtualClusterInstance): Place | undefined {
  const { clusterRef } = instance.spec ?? {};
  const { cluster = '', namespace = '', virtualCluster = '' } = clusterRef ?? {};
  if (cluster === '' || namespace === '' || virtualCluster === '') return undefined;
  return { cluster, namespace, virtualCluster };
}

/** The maximum number of attempts after conflicts. */
const ATTEMPTS = 10;

/** Writes the record, with the later times of the old and the new one. Rejects with StorageError. */
export async function keepBindingRecord(
  storage: Pick<Storage, 'get' | 'commit'>,
  record: BindingRecord,
): Promise<void> {
  const key = BINDING_RECORDS.prefix + bindingRecordName(record.place, record.binding);
  for (let attempt = 1; ; attempt += 1) {
    const { record: stored } = await storage.get(key);
    const before = stored === undefined ? undefined : readBindingRecord(stored.value);
    const written = Math.max(record.written, before?.written ?? 0);
    const end = Math.max(record.end, before?.end ?? 0);
    const value = Buffer.from(JSON.stringify({ ...record, written, end }));
    try {
      await storage.commit([{ key, value, expect: stored?.revision ?? 'absent' }]);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !isFailedPrecondition(error)) throw error;
    }
  }
}

/** Deletes the record unless it was written since. */
export async function dropBindingRecord(
  storage: Pick<Storage, 'commit'>,
  name: string,
  revision: number,
): Promise<void> {
  await unlessMoved(storage.commit([{ key: BINDING_RECORDS.prefix + name, expect: revision }]));
}
