/** The package implements the wire format; it is loaded on first use. */
import type protobuf from 'protobufjs/minimal.js';
import { lazyModule } from '../../lazymodule.js';

export type Reader = protobuf.Reader;
export type Writer = protobuf.Writer;

const wire = lazyModule<typeof protobuf>('protobufjs/minimal.js');

export const newWriter = (): Writer => wire().Writer.create();
/** Of its halves, unsigned. */
export const newLong = (low: number, high: number): Parameters<Writer['int64']>[0] =>
  new (wire().util.LongBits)(low, high).toLong(false);
export const newReader = (bytes: Buffer): Reader => wire().Reader.create(bytes);

/** The last three bits of a tag: the wire type. */
export const WIRE_TYPE = { varint: 0, fixed64: 1, delimited: 2 } as const;

/** The size of the length of a delimited value. */
export function varintLength(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
}
