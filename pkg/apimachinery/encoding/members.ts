/** Values of JSON whose shape is not known from where they come. */

/** The members of an object; of anything else none. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** Whether it is an object of JSON: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first member that a schema of an object does not name. */
export const unknownMember = (
  value: object,
  { properties = {} }: { readonly properties?: object },
): string | undefined => Object.keys(value).find((name) => !Object.hasOwn(properties, name));

/** A member that is a text; undefined where there is none, or it is something else. */
export function textIn(value: unknown, name: string): string | undefined {
  const member = membersOf(value)[name];
  return typeof member === 'string' ? member : undefined;
}

/** A list; of anything else an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
