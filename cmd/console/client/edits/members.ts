/** A JSON object whose shape is not known. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object: neither null nor a list. */
export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
