/** Members and lists of a parsed configuration file. Throws Error, which names the position in the file. Pure. */
import { isObject, unknownMember } from '../../apimachinery/encoding/members.js';
import type { JsonSchema } from '../../apimachinery/schema/jsonschema.js';

export type Members = Readonly<Record<string, unknown>>;

/**
 * @param schema the allowed members; absent: any
 */
export function membersOf(value: unknown, at: string, schema?: JsonSchema): Members {
  if (!isObject(value)) throw new Error(`${at}: it must be an object`);
  const unknown = schema && unknownMember(value, schema);
  if (unknown !== undefined)
    throw new Error(`${at}: there is no member ${JSON.stringify(unknown.slice(0, 64))}`);
  return value;
}

export function listOf(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new Error(`${at}: it must be a list that is not empty`);
  return value;
}
