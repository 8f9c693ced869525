import type { JsonValue } from '../../../../api/resource.js';
import { decoderOf } from './decode.js';
import { encoderOf } from './encode.js';
import type { Message } from './message.js';

/** Converts between a message and its JSON. */
export interface Codec {
  /** `value` must match the message; members that the message lacks are omitted. */
  encode(value: object): Buffer;
  /** Throws DecodeError; StatusError 413 for too many fields. */
  decode(bytes: Buffer, maxFields?: number): { [member: string]: JsonValue };
}

/** Compiled on first use. */
export function codecOf(message: () => Message): Codec {
  let encode: Codec['encode'] | undefined;
  let decode: Codec['decode'] | undefined;
  return {
    encode: (value) => (encode ??= encoderOf(message()))(value),
    decode: (bytes, maxFields) => (decode ??= decoderOf(message()))(bytes, maxFields),
  };
}
