/** The wire format itself is the package's; it is loaded when the first message is read or written. */
import type protobuf from 'protobufjs/minimal.js';
import { lazyModule } from '../../lazymodule.js';

export type Reader = protobuf.Reader;
export type Writer = protobuf.Writer;

const wire = lazyModule<typeof protobuf>('protobufjs/minimal.js');

export const newWriter = (): Writer => wire().Writer.create();
export const newReader = (bytes: Buffer): Reader => wire().Reader.create(bytes);

/** The last three bits of a tag: how long the value is. */
export const WIRE_TYPE = { varint: 0, fixed64: 1, delimited: 2 } as const;

/** How many bytes the length of a delimited value takes. */
export function varintLength(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
}
