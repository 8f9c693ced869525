import type { KubeObject } from '../../../api/resource.js';
import { sameJson } from '../../registry/object/metadata.js';

/**
 * Whether at most the status, labels or managed fields differ. For controllers whose status says what a connected cluster answers:
 * one that answers otherwise each time must not cause the next request.
 */
export const sameButStatus = ({ metadata }: KubeObject, { metadata: other }: KubeObject): boolean =>
  metadata.generation === other.generation &&
  metadata.deletionTimestamp === other.deletionTimestamp &&
  sameJson(metadata.finalizers, other.finalizers) &&
  sameJson(metadata.annotations, other.annotations);
