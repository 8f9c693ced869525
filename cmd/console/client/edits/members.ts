/** JSON whose shape is not known from where it comes. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether it is an object of JSON: neither null nor a list. */
export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
