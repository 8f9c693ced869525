/** Access to JSON values of unknown shape. */

/** The members of an object; empty for other values. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** Whether a value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
