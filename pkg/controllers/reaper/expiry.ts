import { Event } from '../../../api/core/v1/event.js';
import type { KubeObject, ObjectMeta, ResourceDefinition } from '../../../api/resource.js';

/** When the objects of a kind are removed by themselves. */
export interface Expiry {
  readonly kind: Pick<ResourceDefinition, 'group' | 'plural'>;
  /** Bytes that every object has that expires; absent: all of them may. */
  readonly mark?: Buffer;
  /** Whether updates may postpone it. */
  readonly moves: boolean;
  /** In ms since 1970; undefined: never. `object` parses the whole object. */
  endOf(metadata: ObjectMeta, object: () => KubeObject): number | undefined;
}

/** Events end some time after their last write, by the server's clock: times that clients set in an event are ignored. */
export const eventExpiry = (ttlMs: number): Expiry => ({
  kind: Event,
  moves: true,
  endOf: (metadata) => lastWrite(metadata) + ttlMs,
});

function lastWrite({ creationTimestamp = '', managedFields = [] }: ObjectMeta): number {
  const times = managedFields.map(({ time }) => Date.parse(time ?? creationTimestamp));
  return Math.max(Date.parse(creationTimestamp), ...times.filter((time) => !Number.isNaN(time)));
}
