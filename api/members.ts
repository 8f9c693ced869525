/** A JSON object whose shape is not known. */
export type Members = Readonly<Record<string, unknown>>;

/** The members of a JSON object; of any other value none. */
export function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** Whether a value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
