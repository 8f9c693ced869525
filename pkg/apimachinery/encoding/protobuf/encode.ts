/** Writes messages, byte for byte as programs in Go do: fields by ascending number, maps by their keys. */
import type { Field, Message, Scalar } from './message.js';
import { writeTime } from './times.js';
import type { Writer } from './wire.js';
import { WIRE_TYPE, newWriter } from './wire.js';

/** Writes a value after its tag, or the fields of a message. */
type Write = (writer: Writer, value: unknown) => void;

/** A function that gives the message's bytes for a value of JSON that fits it. */
export function encoderOf(message: Message): (value: object) => Buffer {
  const write = messageWriter(message);
  return (value) => {
    const writer = newWriter();
    write(writer, value);
    return writer.finish() as Buffer;
  };
}

const prepared = new WeakMap<Message, Write>();

/** Prepared when a value first comes, because a message may hold itself. */
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
    for (const { name, write, absent } of writers) {
      const member = (value as Record<string, unknown>)[name];
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
      for (const item of list as unknown[]) write(writer, item);
    };
  }
  const writeKey = tagged(1, 'string');
  const writeValue = tagged(2, type);
  const tag = tagOf(number, 'delimited');
  return (writer, map) => {
    for (const key of Object.keys(map as object).sort()) {
      writer.uint32(tag).fork();
      writeKey(writer, key);
      writeValue(writer, (map as Record<string, unknown>)[key]);
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
      return (writer, value) => void writer.uint32(delimited).string(value as string);
    case 'bytes':
      return (writer, value) => void writer.uint32(delimited).bytes(Buffer.from(value as string, 'base64'));
    case 'bool':
      return (writer, value) => void writer.uint32(varint).bool(value as boolean);
    case 'int32':
      return (writer, value) => void writer.uint32(varint).int32(value as number);
    case 'int64':
      return (writer, value) => void writer.uint32(varint).int64(value as number);
    case 'double':
      return (writer, value) => void writer.uint32(tagOf(number, 'fixed64')).double(value as number);
    case 'time':
    case 'microTime':
      return nested(delimited, (writer, value) => {
        writeTime(writer, value as string, type === 'microTime');
      });
    case 'json':
      return nested(delimited, (writer, value) => {
        writer.uint32(tagOf(1, 'delimited')).string(JSON.stringify(value));
      });
    case 'strings':
      return nested(delimited, (writer, items) => {
        for (const item of items as string[]) writer.uint32(tagOf(1, 'delimited')).string(item);
      });
  }
}

function nested(tag: number, write: Write): Write {
  return (writer, value) => {
    writer.uint32(tag).fork();
    write(writer, value);
    writer.ldelim();
  };
}
