/** Encodes messages with the same bytes as Go: fields by ascending number, maps by key. */
import { isObject } from '../members.js';
import type { Field, Message, Scalar } from './message.js';
import { writeTime } from './times.js';
import { WIRE_TYPE, newLong, newWriter, type Writer } from './wire.js';

/** Writes a value after its tag, or the fields of a message. */
type Write = (writer: Writer, value: unknown) => void;

/** Returns a function that encodes a matching JSON value. */
export function encoderOf(message: Message): (value: object) => Buffer {
  const write = messageWriter(message);
  return (value) => {
    const writer = newWriter();
    write(writer, value);
    const bytes: Uint8Array = writer.finish();
    return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

const prepared = new WeakMap<Message, Write>();

/** Compiled on first use, because messages may be recursive. */
function messageWriter(message: Message): Write {
  return (writer, value) => {
    let write = prepared.get(message);
    if (write === undefined) prepared.set(message, (write = fieldsWriter(message)));
    write(writer, value);
  };
}

function fieldsWriter({ fields }: Message): Write {
  const writers = fields.map((field) => {
    return {
      name: field.name,
      write: fieldWriter(field),
      absent: field.always === true && absentWriter(field),
    };
  });
  return (writer, value) => {
    const members = isObject(value) ? value : {};
    for (const { name, write, absent } of writers) {
      const member = members[name];
      if (member !== undefined && member !== null) write(writer, member);
      else if (absent !== false) absent(writer);
    }
  };
}

/** Writes the zero of a type. */
function absentWriter({ number, type }: Field): (writer: Writer) => void {
  const write = tagged(number, type);
  switch (type) {
    case 'string':
    case 'bytes':
      return (writer) => write(writer, '');
    case 'bool':
      return (writer) => write(writer, false);
    case 'int32':
    case 'int64':
    case 'double':
      return (writer) => write(writer, 0);
    case 'time':
    case 'microTime':
    case 'json':
    case 'strings':
      return (writer) => void writer.uint32(tagOf(number, 'delimited')).fork().ldelim();
    default:
      return (writer) => write(writer, {});
  }
}

function fieldWriter({ number, type, shape }: Field): Write {
  const write = tagged(number, type);
  if (shape === 'one') return write;
  if (shape === 'list') {
    return (writer, list) => {
      if (!Array.isArray(list)) throw misfit('list', list);
      for (const item of list) write(writer, item);
    };
  }
  const writeKey = tagged(1, 'string');
  const writeValue = tagged(2, type);
  const tag = tagOf(number, 'delimited');
  return (writer, map) => {
    if (!isObject(map)) throw misfit('map', map);
    for (const key of Object.keys(map).sort()) {
      writer.uint32(tag).fork();
      writeKey(writer, key);
      writeValue(writer, map[key]);
      writer.ldelim();
    }
  };
}

const tagOf = (number: number, type: keyof typeof WIRE_TYPE): number => number * 8 + WIRE_TYPE[type];

function tagged(number: number, type: Scalar | Message): Write {
  const delimited = tagOf(number, 'delimited');
  const varint = tagOf(number, 'varint');
  if (typeof type === 'object') return nested(delimited, messageWriter(type));
  switch (type) {
    case 'string':
      return (writer, value) => void writer.uint32(delimited).string(textOf(value));
    case 'bytes':
      return (writer, value) => void writer.uint32(delimited).bytes(Buffer.from(textOf(value), 'base64'));
    case 'bool':
      return (writer, value) => void writer.uint32(varint).bool(value === true);
    case 'int32':
      return (writer, value) => void writer.uint32(varint).int32(numberOf(value));
    case 'int64':
      return (writer, value) => void writer.uint32(varint).int64(longOf(value));
    case 'double':
      return (writer, value) => void writer.uint32(tagOf(number, 'fixed64')).double(numberOf(value));
    case 'time':
    case 'microTime':
      return nested(delimited, (writer, value) => {
        writeTime(writer, textOf(value), type === 'microTime');
      });
    case 'json':
      return nested(delimited, (writer, value) => {
        writer.uint32(tagOf(1, 'delimited')).string(JSON.stringify(value));
      });
    case 'strings':
      return nested(delimited, (writer, items) => {
        if (!Array.isArray(items)) throw misfit('list', items);
        for (const item of items) writer.uint32(tagOf(1, 'delimited')).string(textOf(item));
      });
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw misfit('text', value);
}

/** In the form that the package takes for what a `number` has not exactly. */
function longOf(value: unknown): Parameters<Writer['int64']>[0] {
  if (typeof value !== 'bigint') return numberOf(value);
  const half = (bits: bigint): number => Number(BigInt.asUintN(32, bits));
  return newLong(half(value), half(value >> 32n));
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  throw misfit('number', value);
}

/** Stored values match the schema of the message. */
const misfit = (wanted: string, value: unknown): RangeError =>
  new RangeError(`protobuf: a ${wanted} was to be written, not a ${typeof value}`);

function nested(tag: number, write: Write): Write {
  return (writer, value) => {
    writer.uint32(tag).fork();
    write(writer, value);
    writer.ldelim();
  };
}
