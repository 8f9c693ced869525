/** Completions at a position in an object: its fields, and the values of enumerations. */
import { typeOf, type KindSchema, type Schema } from './schema.js';
import { spotAt } from './spot.js';
import { tooDeepAt } from './yamldepth.js';

interface Offer {
  readonly label: string;
  /** Its type. */
  readonly detail: string;
  readonly info: string;
  /** The text that is inserted. */
  readonly insert: string;
}

export interface Offers {
  readonly from: number;
  readonly to: number;
  readonly offers: readonly Offer[];
}

/**
 * The maximum length, in characters, of a text that is completed and checked, so that no object makes the page slow.
 */
export const LONGEST_TEXT = 100_000;

/** Undefined if there are no completions. `at`: the offset of the cursor, in characters. */
export function offersAt(text: string, at: number, kind: KindSchema): Offers | undefined {
  if (text.length > LONGEST_TEXT || tooDeepAt(text) !== undefined) return undefined;
  const spot = spotAt(text, at);
  const schema = spot && kind.at(spot.path);
  if (spot === undefined || schema === undefined) return undefined;
  const { from, to } = spot;
  if (spot.what === 'value' || schema.properties === undefined)
    return { from, to, offers: valuesOf(schema).map((value) => valueOffer(value, schema)) };
  const offers = Object.keys(schema.properties)
    .filter((name) => !spot.beside.includes(name))
    .map((name) => {
      const field = kind.at([...spot.path, name]) ?? {};
      const insert = spot.hasColon ? name : `${name}:${after(field, ' '.repeat(spot.column + 2))}`;
      return { label: name, detail: typeOf(field), info: field.description ?? '', insert };
    });
  return { from, to, offers };
}

/** The text between the name of a field and the beginning of its value. */
function after(field: Schema, indent: string): string {
  if (field.items !== undefined) return `\n${indent}- `;
  return field.properties !== undefined || field.additionalProperties !== undefined ? `\n${indent}` : ' ';
}

function valuesOf({ enum: values, type }: Schema): readonly string[] {
  if (type === 'boolean') return ['true', 'false'];
  return (values ?? []).filter((value) => typeof value === 'string');
}

const valueOffer = (value: string, schema: Schema): Offer => ({
  label: value,
  detail: '',
  info: schema.description ?? '',
  insert:
    schema.type === 'string' && /^(?:true|false|null|yes|no|on|off|~|[\d.+-].*)$/i.test(value)
      ? `"${value}"`
      : value,
});
