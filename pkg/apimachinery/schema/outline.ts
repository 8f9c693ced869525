/** The top-level JSON types of an object, checked before its members are walked. */
import { isNumber } from '../../../api/exactjson.js';
import { isObject, type JsonObject, type JsonSchema } from './jsonschema.js';

type Test = (value: unknown) => boolean;

const OF_TYPE: Readonly<Record<string, Test>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: isNumber,
  integer: isNumber,
};

/**
 * Returns a function that checks the types of an object's members, and of their members. Absent and null values
 * match; so do values without a schema or a type.
 */
export function outline(schema: JsonSchema): (object: JsonObject) => boolean {
  const fits = membersFit(schema, (member) => {
    const inner = membersFit(member, () => undefined);
    return (value) => !isObject(value) || inner(value);
  });
  return fits;
}

function membersFit(
  { properties = {} }: JsonSchema,
  deeper: (member: JsonSchema) => Test | undefined,
): (object: JsonObject) => boolean {
  const tests = Object.entries(properties).map(
    ([name, member]) =>
      [name, typeof member.type === 'string' ? OF_TYPE[member.type] : undefined, deeper(member)] as const,
  );
  return (object) =>
    tests.every(([name, type, inside]) => {
      const value = object[name];
      if (value === undefined || value === null) return true;
      return (type?.(value) ?? true) && (inside?.(value) ?? true);
    });
}
