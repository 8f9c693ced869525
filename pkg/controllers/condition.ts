import type { KubeObject } from '../../api/resource.js';
import { wellFormed } from '../apimachinery/encoding/gostring.js';

/** A condition that a controller wants (`meta/v1 Condition`). */
export interface WantedCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** In CamelCase. */
  readonly reason: string;
  readonly message: string;
}

type Condition = WantedCondition & { readonly lastTransitionTime?: string };

interface Status {
  readonly conditions?: readonly Condition[];
}

/** The maximum length of a message, in characters, as messages may quote any response of a cluster. */
const LONGEST_MESSAGE = 1024;

/**
 * The object with these conditions; undefined when it has them. The lastTransitionTime changes only with the
 * status.
 */
export function withWantedConditions<T extends KubeObject & { status?: Status }>(
  object: T,
  wanted: readonly WantedCondition[],
  now: number = Date.now(),
): T | undefined {
  const status: Status = object.status ?? {};
  const conditions = [...(status.conditions ?? [])];
  let changed = false;
  for (const { type, status: state, reason, message: whole } of wanted) {
    const message = wellFormed(whole.slice(0, LONGEST_MESSAGE));
    const at = conditions.findIndex((one) => one.type === type);
    const found = conditions[at];
    if (found?.status === state && found.reason === reason && found.message === message) continue;
    changed = true;
    const time = `${new Date(now).toISOString().slice(0, 19)}Z`;
    const lastTransitionTime = found?.status === state ? (found.lastTransitionTime ?? time) : time;
    const next: Condition = { type, status: state, lastTransitionTime, reason, message };
    conditions.splice(at === -1 ? conditions.length : at, 1, next);
  }
  return changed ? { ...object, status: { ...status, conditions } } : undefined;
}
