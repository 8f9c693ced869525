/** Compares the user of a request with the one that its credential now has. */
import type { User } from '../../authentication/interface.js';
import { sameJson } from '../../registry/object/metadata.js';

/** Whether it is the same user, regardless of current groups. */
export const sameIdentity = (then: User, now: User): boolean =>
  then === now || (then.name === now.name && then.uid === now.uid);

/** Whether the user has at least the groups of before, and the same scope. */
export function keepsRights(then: User, now: User): boolean {
  if (then === now) return true;
  if (then.scope !== now.scope && !sameJson(then.scope, now.scope)) return false;
  return then.groups === now.groups || isWithin(then.groups, now.groups);
}

function isWithin(some: readonly string[], all: readonly string[]): boolean {
  if (some.length === all.length && some.every((group, at) => group === all[at])) return true;
  const set = new Set(all);
  return some.every((group) => set.has(group));
}
