import type { JsonValue } from '../../../../api/resource.js';
import { decoderOf } from './decode.js';
import { encoderOf } from './encode.js';
import type { Message } from './message.js';

/** Between a message and its JSON. */
export interface Codec {
  /** `value` must fit the message; members that the message does not have are left out. */
  encode(value: object): Buffer;
  /** Throws DecodeError; StatusError 413 for more fields than that. */
  decode(bytes: Buffer, mostFields?: number): { [member: string]: JsonValue };
}

/** Prepared when first used. */
export function codecOf(message: () => Message): Codec {
  let encode: Codec['encode'] | undefined;
  let decode: Codec['decode'] | undefined;
  return {
    encode: (value) => (encode ??= encoderOf(message()))(value),
    decode: (bytes, mostFields) => (decode ??= decoderOf(message()))(bytes, mostFields),
  };
}
