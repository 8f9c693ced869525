import type { KubeObject } from '../../../api/resource.js';
import { sameJson } from '../../registry/object/metadata.js';

const STATUS_MS = 1_000;

/**
 * After how many milliseconds a change of an instance is looked at: later where at most its status, labels or managed fields
 * differ. Its status says what a connected cluster answers, and one that answers otherwise each time is asked once in this time.
 */
export function delayOf({ metadata }: KubeObject, previous: KubeObject | undefined): number {
  const other = previous?.metadata;
  const same =
    metadata.generation === other?.generation &&
    metadata.deletionTimestamp === other?.deletionTimestamp &&
    sameJson(metadata.finalizers, other?.finalizers) &&
    sameJson(metadata.annotations, other?.annotations);
  return same && other !== undefined ? STATUS_MS : 0;
}
