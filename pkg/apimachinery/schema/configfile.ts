/** Configuration files, by the schemas that the reference of the docs is made from. */
import { messageOf } from '../caught.js';
import { isObject, membersOf } from '../encoding/members.js';
import { suggestion } from '../similar.js';
import { fieldError } from './fielderrors.js';
import type { JsonSchema } from './jsonschema.js';
import { compileAll, pointerSteps, type ErrorObject } from './validator.js';

/** An object of a configuration file, which has no other fields: a misspelled one would omit a restriction. */
export const closedObject = (
  properties: Record<string, JsonSchema>,
  required: string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/**
 * Checks the parsed text of a file. Throws an Error that has the path of the field (`issuers[0].audience`) and what it must be;
 * for an unknown field, the one that was meant.
 */
export function checkConfigFile<T>(document: unknown, schema: JsonSchema): asserts document is T {
  if (!isObject(document)) throw new Error(`it must be a map with ${(schema.required ?? []).join(', ')}`);
  const validate = compileAll(schema);
  if (validate(document)) return;
  const errors = validate.errors ?? [];
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties');
  if (unknown !== undefined) throw new Error(unknownField(unknown));
  const found = errors.map(fieldError).find((error) => error !== undefined);
  throw new Error(found === undefined ? 'it is not valid' : `${found.path}: ${found.body}`);
}

/** Returns the text of a file that a configuration file names. */
export type ReadNamed = (path: string) => string;

/** Parses the value of a field. The Error of `parse` gets its path. */
export function inField<T>(path: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

function unknownField({ instancePath, params, parentSchema }: ErrorObject): string {
  const name = String(params['additionalProperty']);
  const known = Object.keys(membersOf(membersOf(parentSchema).properties));
  const parent = pointerSteps(instancePath).map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`));
  const path = `${parent.join('')}.${name}`.replace(/^\./, '');
  return `${path}: unknown field${suggestion(name, known) || `; there are ${known.join(', ')}`}`;
}
