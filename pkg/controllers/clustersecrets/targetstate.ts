/** What was last made of a Secret. */
import type { Wanted } from './plan.js';
import type { Target } from './targets.js';
import { digestOf } from './wanted.js';

/** What others change time and again is mended ever more slowly. */
const MEND_MS = 500;
const LONGEST_REST_MS = 60_000;
const MENDED_LONG_AGO_MS = 600_000;

/** Whether the Secret is as it is to be. */
export function isDone({ applied, secret }: Target, wanted: Wanted): boolean {
  return applied?.resourceVersion === secret.resourceVersion && applied.digest === digestOf(wanted);
}

/** Whether nothing but the Secret itself is otherwise than it was made. */
export const isDrift = ({ applied }: Target, wanted: Wanted): boolean => applied?.digest === digestOf(wanted);

/** It is not mended again for a while. */
export function suspendRepair(target: Target): void {
  const now = performance.now();
  target.mended = now > target.restsUntil + MENDED_LONG_AGO_MS ? 0 : target.mended + 1;
  target.restsUntil = now + Math.min(LONGEST_REST_MS, MEND_MS * 2 ** target.mended);
}
