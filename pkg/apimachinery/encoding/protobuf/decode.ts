/**
 * Decodes messages. Unknown fields are skipped; a repeated field is merged, as in Go. Recursive messages can only be
 * encoded, which bounds the depth of untrusted input.
 */
import type { JsonValue } from '../../../../api/resource.js';
import { StatusError, tooManyValues } from '../../errors.js';
import { DecodeError, decodeJson, setMember } from '../json.js';
import type { Field, Message, Scalar } from './message.js';
import { timeText } from './times.js';
import { WIRE_TYPE, newReader, type Reader as WireReader } from './wire.js';
import { int64 } from '../../../../api/exactjson.js';

/** Counts decoded fields: an empty one takes two bytes, but its value much more memory. */
type Reader = WireReader & { fields: number; readonly maxFields: number };

/** Reads one value; `before` is the field's previous value. */
type Read<T extends JsonValue | undefined = JsonValue | undefined> = (
  reader: Reader,
  limit: number,
  before: JsonValue | undefined,
) => T;

type JsonMap = { [member: string]: JsonValue };

interface FieldReader {
  readonly name: string;
  readonly wireType: number;
  readonly read: Read;
  readonly keepEmpty: boolean;
}

/**
 * Returns a function that decodes the message's bytes to JSON. Throws DecodeError; StatusError 413 for too many
 * fields.
 */
export function decoderOf(message: Message): (bytes: Buffer, maxFields?: number) => JsonMap {
  const read = messageReader(message);
  return (bytes, maxFields = Infinity) => {
    try {
      const reader = Object.assign(newReader(bytes), { fields: 0, maxFields });
      return read(reader, bytes.length, undefined);
    } catch (error) {
      if (error instanceof DecodeError || error instanceof StatusError) throw error;
      throw new DecodeError(reasonOf(error));
    }
  };
}

/** The package throws RangeError with positions for truncated bytes. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  return text === '' || text.startsWith('index out of range') ? 'unexpected EOF' : `proto: ${text}`;
}

function messageReader({ fields }: Message): Read<JsonMap> {
  const readers = new Map(fields.map((field) => [field.number, fieldReader(field)]));
  return (reader, end, before) => {
    const value = mapOf(before);
    while (reader.pos < end) {
      if (++reader.fields > reader.maxFields) throw tooManyValues(reader.maxFields);
      const tag = reader.uint32();
      const field = readers.get(tag >>> 3);
      const wireType = tag & 7;
      if (field === undefined) skip(reader, tag);
      else if (wireType !== field.wireType)
        throw new DecodeError(`proto: wrong wireType = ${wireType} for field ${field.name}`);
      else set(value, field, field.read(reader, end, value[field.name]));
    }
    if (reader.pos !== end) throw new DecodeError('unexpected EOF');
    return value;
  };
}

function skip(reader: Reader, tag: number): void {
  if (tag >>> 3 === 0) throw new DecodeError(`proto: illegal tag ${tag >>> 3} (wire type ${tag & 7})`);
  reader.skipType(tag & 7);
}

function set(value: JsonMap, { name, keepEmpty }: FieldReader, read: JsonValue | undefined): void {
  const empty = read === '' || read === 0 || read === false;
  if (read === undefined || (empty && !keepEmpty)) delete value[name];
  else value[name] = read;
}

function fieldReader({ name, type, shape, keepEmpty }: Field): FieldReader {
  const scalar = typeof type === 'string' ? type : undefined;
  const fixed = scalar === 'double';
  const varint = scalar === 'bool' || scalar === 'int32' || scalar === 'int64';
  const whole = fixed ? WIRE_TYPE.fixed64 : varint ? WIRE_TYPE.varint : WIRE_TYPE.delimited;
  const wireType = shape === 'map' ? WIRE_TYPE.delimited : whole;
  const read = typeof type === 'object' ? nested(messageReader(type)) : scalarReader(type);
  if (shape === 'list') return { name, wireType, read: listReader(read), keepEmpty };
  if (shape === 'map') return { name, wireType, read: mapReader(type), keepEmpty };
  return { name, wireType, read, keepEmpty };
}

/** A repeated message is merged. */
const mapOf = (before: JsonValue | undefined): JsonMap =>
  typeof before === 'object' && before !== null && !Array.isArray(before) ? before : {};

/** The same bytes as a Buffer. */
const bufferOf = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function listReader(read: Read): Read {
  return (reader, limit, before) => {
    const list = Array.isArray(before) ? before : [];
    list.push(read(reader, limit, undefined) ?? null);
    return list;
  };
}

/** An entry is a message of key and value; either may be left out. */
function mapReader(type: Scalar | Message): Read {
  const fields: Field[] = [
    { name: 'key', number: 1, type: 'string', shape: 'one', keepEmpty: true },
    { name: 'value', number: 2, type, shape: 'one', keepEmpty: true },
  ];
  const entry = nested(messageReader({ fields }));
  const zero = type === 'string' || type === 'bytes' ? '' : null;
  return (reader, limit, before) => {
    const map = mapOf(before);
    const { key = '', value = zero } = entry(reader, limit, undefined);
    setMember(map, String(key), value);
    return map;
  };
}

function scalarReader(type: Scalar): Read {
  switch (type) {
    case 'string':
      return (reader) => bufferOf(reader.bytes()).toString('utf8');
    case 'bytes':
      return (reader) => bufferOf(reader.bytes()).toString('base64');
    case 'bool':
      return (reader) => reader.bool();
    case 'int32':
      return (reader) => reader.int32();
    case 'int64':
      return readInt64;
    case 'double':
      return (reader) => reader.double();
    case 'time':
    case 'microTime':
      return timeReader(type === 'microTime');
    case 'json':
      return wrapped('string', 'one', jsonOf);
    case 'strings':
      return wrapped('string', 'list', (items) => items ?? []);
  }
}

/** The package makes a `number` of it. Throws RangeError behind the end of the bytes. */
function readInt64(reader: Reader): number | bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.buf[reader.pos++];
    if (byte === undefined || reader.pos > reader.len) throw new RangeError('index out of range');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte >= 0x80) continue;
    const integer = BigInt.asIntN(64, value);
    return int64(integer) ?? integer;
  }
  throw new RangeError('invalid varint encoding');
}

/** A message without fields is no time. */
function timeReader(micro: boolean): Read {
  const fields: Field[] = [
    { name: 'seconds', number: 1, type: 'int64', shape: 'one', keepEmpty: true },
    { name: 'nanos', number: 2, type: 'int32', shape: 'one', keepEmpty: true },
  ];
  const read = nested(messageReader({ fields }));
  return (reader, limit) => {
    const { seconds, nanos } = read(reader, limit, undefined);
    if (seconds === undefined && nanos === undefined) return undefined;
    return timeText(Number(seconds ?? 0), Number(nanos ?? 0), micro);
  };
}

/** A message of one field, number 1, which JSON has without the message. */
function wrapped(
  type: Scalar,
  shape: Field['shape'],
  unwrap: (inner: JsonValue | undefined) => JsonValue | undefined,
): Read {
  const read = nested(
    messageReader({ fields: [{ name: 'inner', number: 1, type, shape, keepEmpty: true }] }),
  );
  return (reader, limit) => unwrap(read(reader, limit, undefined).inner);
}

/** In Go it is text that the decoder does not read. A text that is no JSON stays one, and fails nothing but who reads it. */
function jsonOf(text: JsonValue | undefined): JsonValue | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    return decodeJson(text).value;
  } catch (error) {
    if (error instanceof DecodeError) return text;
    throw error;
  }
}

/** A delimited message; throws DecodeError unless it ends at its length. */
function nested<T extends JsonValue | undefined>(read: Read<T>): Read<T> {
  return (reader, limit, before) => {
    const length = reader.uint32();
    const end = reader.pos + length;
    if (end > limit) throw new DecodeError('unexpected EOF');
    return read(reader, end, before);
  };
}
