/** Access to JSON values of unknown shape. */
import { membersOf } from '../../../api/members.js';

export { isObject, membersOf } from '../../../api/members.js';

/** The first member that an object's schema does not have. */
export const unknownMember = (
  value: object,
  { properties = {} }: { readonly properties?: object },
): string | undefined => Object.keys(value).find((name) => !Object.hasOwn(properties, name));

/** A string member; undefined if it is absent or of another type. */
export function textIn(value: unknown, name: string): string | undefined {
  const member = membersOf(value)[name];
  return typeof member === 'string' ? member : undefined;
}

/** A list; empty for other values. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
