import type { KubeObject } from '../../../api/resource.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { humanAge } from '../../apimachinery/table.js';

/** Finalizers that the garbage collector removes, after the dependents. */
const COLLECTED = ['orphan', 'foregroundDeletion'];
/** The number of finalizers that the warning names. */
const NAMED = 5;

/** How long, in ms, the finalizers of an object's own group are the normal course of its deletion. */
const NORMAL_MS = 60_000;

/** Explains why a deleted object still exists; undefined if its metadata does not say. */
export function finalizerWarning(object: KubeObject, now: number): string | undefined {
  const [group = ''] = object.apiVersion.split('/');
  const since = now - Date.parse(object.metadata.deletionTimestamp ?? '');
  const isExpected = (one: string): boolean =>
    COLLECTED.includes(one) || (one.startsWith(`${group}/`) && !(since > NORMAL_MS));
  const finalizers = (object.metadata.finalizers ?? []).filter((one) => !isExpected(one));
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

/** The time at which its field manager last wrote a finalizer, or the creation time of the object. */
function setAt({ metadata }: KubeObject, finalizer: string): string | undefined {
  const entry = (metadata.managedFields ?? []).find(({ fieldsV1 }) => {
    const { 'f:finalizers': finalizers } = membersOf(membersOf(fieldsV1)['f:metadata']);
    return membersOf(finalizers)[`v:${JSON.stringify(finalizer)}`] !== undefined;
  });
  return entry?.time ?? metadata.creationTimestamp;
}
