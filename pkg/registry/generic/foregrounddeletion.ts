import type { KubeObject } from '../../../api/resource.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { humanAge } from '../../apimachinery/table.js';

/** Taken away by the garbage collector, which waits for dependents. */
const COLLECTED = ['orphan', 'foregroundDeletion'];
/** So many finalizers are named. */
const NAMED = 5;

/** Says why an object that was deleted is still there; undefined where its own metadata does not. */
export function finalizerWarning(object: KubeObject, now: number): string | undefined {
  const finalizers = (object.metadata.finalizers ?? []).filter((one) => !COLLECTED.includes(one));
  if (finalizers.length === 0) return undefined;
  const named = finalizers
    .slice(0, NAMED)
    .map((one) => `${one} (set ${humanAge(setAt(object, one), now)} ago)`);
  const more = finalizers.length > NAMED ? ` and ${finalizers.length - NAMED} more` : '';
  return `the object goes when its finalizers are removed: ${named.join(', ')}${more}`;
}

export function graceWarning({ metadata }: KubeObject): string | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionGracePeriodSeconds === 0 || deletionTimestamp === undefined) return undefined;
  return `the object goes at ${deletionTimestamp}, its grace period being ${deletionGracePeriodSeconds} s`;
}

/** When a finalizer was last written, by its field manager; else when the object was created. */
function setAt({ metadata }: KubeObject, finalizer: string): string | undefined {
  const entry = (metadata.managedFields ?? []).find(({ fieldsV1 }) => {
    const { 'f:finalizers': finalizers } = membersOf(membersOf(fieldsV1)['f:metadata']);
    return membersOf(finalizers)[`v:${JSON.stringify(finalizer)}`] !== undefined;
  });
  return entry?.time ?? metadata.creationTimestamp;
}
