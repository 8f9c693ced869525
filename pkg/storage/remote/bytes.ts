import type { StorageFailure, StoredRecord } from '../interface.js';

/** A view of the same bytes: a MessagePort delivers Buffers as Uint8Arrays. */
export const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const toRecord = (record: StoredRecord): StoredRecord =>
  Buffer.isBuffer(record.value) ? record : { ...record, value: toBuffer(record.value) };

export function toFailure(failure: StorageFailure): StorageFailure {
  if (failure.code !== 'exists' && failure.code !== 'conflict') return failure;
  return { ...failure, current: toRecord(failure.current) };
}
