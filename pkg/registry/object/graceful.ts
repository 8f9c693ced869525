/** Graceful deletion, for the kinds of this project's group only. */
import type { ObjectMeta, ResourceDefinition } from '../../../api/resource.js';
import { fieldInvalid, invalid } from '../../apimachinery/errors.js';
import { DELETE_OPTIONS_KIND, type DeleteOptions } from '../../apimachinery/options/delete.js';
import { timestamp } from './metadata.js';

/** A day. */
const MAX_GRACE_SECONDS = 86_400;

/**
 * The time of the removal: at once, at `time` (`seconds` after the deletion began), or as an earlier delete set it,
 * because a grace period can only be shortened.
 */
export type Grace =
  | { readonly outcome: 'now' }
  | { readonly outcome: 'at'; readonly time: string; readonly seconds: number }
  | { readonly outcome: 'as before' };

/** Throws StatusError 422 for more than a day. */
export function checkGracePeriod(
  { builtIn }: ResourceDefinition,
  { gracePeriodSeconds }: DeleteOptions,
): void {
  if (builtIn || gracePeriodSeconds === undefined || gracePeriodSeconds <= MAX_GRACE_SECONDS) return;
  const text = `must be less than or equal to ${MAX_GRACE_SECONDS}`;
  throw invalid(DELETE_OPTIONS_KIND, '', [fieldInvalid('gracePeriodSeconds', gracePeriodSeconds, text)]);
}

/** The effect of a delete on the grace period (`k8s.io/apiserver/pkg/registry/rest`: BeforeDelete). */
export function graceOf(
  { builtIn }: ResourceDefinition,
  { deletionTimestamp, deletionGracePeriodSeconds = 0 }: ObjectMeta,
  { gracePeriodSeconds }: DeleteOptions,
  now: number = Date.now(),
): Grace {
  if (builtIn) return { outcome: 'now' };
  const seconds = gracePeriodSeconds !== undefined && gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds;
  if (deletionTimestamp === undefined) return graceFrom(now, seconds ?? 0, now);
  if (deletionGracePeriodSeconds === 0) return { outcome: 'now' };
  if (Date.parse(deletionTimestamp) <= now) return { outcome: 'now' };
  if (seconds === undefined || seconds >= deletionGracePeriodSeconds) return { outcome: 'as before' };
  return graceFrom(Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000, seconds, now);
}

function graceFrom(began: number, seconds: number, now: number): Grace {
  const at = began + seconds * 1000;
  if (seconds === 0 || at <= now) return { outcome: 'now' };
  return { outcome: 'at', time: timestamp(at), seconds };
}

/** Whether the grace period of a deleted object is over. */
export function isDue(
  { deletionTimestamp, deletionGracePeriodSeconds = 0 }: ObjectMeta,
  now: number = Date.now(),
): boolean {
  if (deletionTimestamp === undefined) return false;
  return deletionGracePeriodSeconds === 0 || Date.parse(deletionTimestamp) <= now;
}
