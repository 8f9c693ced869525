/** Descriptions of protobuf messages: made from a kind's schema, or declared without one. */

/**
 * Types of values, with their form in JSON: `bytes` is base64; `time` and `microTime` are RFC 3339; `json` is any
 * JSON, on the wire a message with its text (`FieldsV1`); `strings` is a list of strings, on the wire a message with
 * `items` (`Verbs`, `ExtraValue`).
 */
export type Scalar =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'time'
  | 'microTime'
  | 'json'
  | 'strings';

export interface Field {
  /** The member in JSON. */
  readonly name: string;
  readonly number: number;
  readonly type: Scalar | Message;
  /** A map has keys of strings. */
  readonly shape: 'one' | 'list' | 'map';
  /** Whether a received zero or empty value counts as set. Go sends every field that is no pointer, set or not. */
  readonly keepEmpty: boolean;
  /** Whether it is written even if absent: a Go field that is no pointer, list, map or bytes. */
  readonly always?: boolean;
}

export interface Message {
  /** By ascending number. */
  readonly fields: readonly Field[];
}

type Declared =
  | readonly [number: number, type: Scalar | Message]
  | readonly [number: number, type: Scalar | Message, shape: 'list' | 'map' | 'pointer'];

/** A message by its members: `{ name: [1, 'string'], verbs: [5, 'string', 'list'], code: [2, 'int32', 'pointer'] }`. */
export function message(members: Readonly<Record<string, Declared>>): Message {
  const fields = Object.entries(members).map(([name, [number, type, shape]]): Field => {
    const keepEmpty = shape === 'pointer';
    const always = shape === undefined && type !== 'bytes' && type !== 'strings';
    return { name, number, type, shape: shape === undefined || keepEmpty ? 'one' : shape, keepEmpty, always };
  });
  return { fields: sorted(fields) };
}

/** Like {@link message}, for messages outside of Kubernetes' Go types, in which only set fields are written. */
export function sparseMessage(members: Readonly<Record<string, Declared>>): Message {
  return { fields: message(members).fields.map((field) => ({ ...field, always: false })) };
}

export const sorted = (fields: Field[]): Field[] => fields.sort((a, b) => a.number - b.number);
