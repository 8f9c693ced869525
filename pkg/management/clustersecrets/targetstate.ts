/** The state of a Secret after the last write. */
import { FROM_UID, STATUS } from './labels.js';
import { REFUSED, type Wanted } from './plan.js';
import type { Target } from './targets.js';
import { digestOf } from './wanted.js';

/** Repairs of changes by others, with increasing delays. */
const MEND_MS = 500;
const LONGEST_REST_MS = 60_000;
const MENDED_LONG_AGO_MS = 600_000;

/** Whether the Secret is in the wanted state. */
export function isDone({ applied, secret }: Target, wanted: Wanted): boolean {
  return applied?.resourceVersion === secret.resourceVersion && applied.digest === digestOf(wanted);
}

/** Whether only the Secret itself has changed since it was written. */
export const isDrift = ({ applied }: Target, wanted: Wanted): boolean => applied?.digest === digestOf(wanted);

/** The milliseconds until a Secret that others changed, or that the cluster refused, is read again. */
export function restMs(target: Target, wanted: Wanted): number {
  const rests = isDrift(target, wanted) || target.outcome?.reason === REFUSED;
  return rests ? target.restsUntil - performance.now() : 0;
}

/**
 * Whether the metadata show that the Secret needs no change: it is there, was never filled, must not be, and says why. It
 * need not be read then, however large it is and however often others change it.
 */
export const needsNothing = (target: Target, wanted: Wanted): boolean => {
  const { secret, seenBy, filled, outcome } = target;
  const { annotations } = secret;
  return (
    wanted.is === 'empty' &&
    seenBy.size > 0 &&
    !filled &&
    annotations[FROM_UID] === undefined &&
    annotations[STATUS] === wanted.reason &&
    outcome?.reason === wanted.reason
  );
};

/** Delays the next repair. */
export function suspendRepair(target: Target): void {
  const now = performance.now();
  target.mended = now > target.restsUntil + MENDED_LONG_AGO_MS ? 0 : target.mended + 1;
  target.restsUntil = now + Math.min(LONGEST_REST_MS, MEND_MS * 2 ** target.mended);
}
