/** What a protobuf message looks like: made from a kind's schema, or declared where no schema is. */

/**
 * Types of values with the form that they have in JSON: `bytes` is base64; `time` and `microTime` are RFC 3339;
 * `json` is any JSON, on the wire a message with its text (`FieldsV1`); `strings` is a list of strings, on the wire a
 * message with `items` (`Verbs`, `ExtraValue`).
 */
export type Scalar =
  'string' | 'bytes' | 'bool' | 'int32' | 'int64' | 'double' | 'time' | 'microTime' | 'json' | 'strings';

export interface Field {
  /** The member in JSON. */
  readonly name: string;
  readonly number: number;
  readonly type: Scalar | Message;
  /** A map has keys of strings. */
  readonly shape: 'one' | 'list' | 'map';
  /**
   * Whether a zero or empty value that was sent counts as set. Programs in Go send every field that is no pointer,
   * set or not.
   */
  readonly keepEmpty: boolean;
  /** Whether it is written even where it is absent: a field of Go that is no pointer, list, map or bytes. */
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

/** As {@link message}, for programs that write what is set and nothing else: those of no Go type of Kubernetes. */
export function sparseMessage(members: Readonly<Record<string, Declared>>): Message {
  return { fields: message(members).fields.map((field) => ({ ...field, always: false })) };
}

export const sorted = (fields: Field[]): Field[] => fields.sort((a, b) => a.number - b.number);
