import type { KubeObject } from '../../api/resource.js';
import { wellFormed } from '../apimachinery/encoding/gostring.js';

/** A condition as a loop wants it (`meta/v1 Condition`). */
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

/** Messages may quote what a cluster answers, which can be anything of any length. In characters. */
const LONGEST_MESSAGE = 1024;

/**
 * The object with these conditions; undefined when it has them. A condition keeps its lastTransitionTime while its
 * status stays.
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
