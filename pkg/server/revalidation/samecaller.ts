/** Whether who makes a request now is who made it. */
import type { User } from '../../authentication/interface.js';
import { sameJson } from '../../registry/object/metadata.js';

/** The same person, whatever groups they are in now: another one's right is no reason to go on. */
export const stillClient = (then: User, now: User): boolean =>
  then === now || (then.name === now.name && then.uid === now.uid);

/** In no group less than before, and with the same scope. */
export function sameCaller(then: User, now: User): boolean {
  if (then === now) return true;
  if (then.scope !== now.scope && !sameJson(then.scope, now.scope)) return false;
  return then.groups === now.groups || isWithin(then.groups, now.groups);
}

function isWithin(some: readonly string[], all: readonly string[]): boolean {
  if (some.length === all.length && some.every((group, at) => group === all[at])) return true;
  const set = new Set(all);
  return some.every((group) => set.has(group));
}
