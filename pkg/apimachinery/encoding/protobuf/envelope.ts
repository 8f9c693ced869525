/**
 * The envelope of every object: four bytes, then `runtime.Unknown` with the kind and the object's bytes
 * (`k8s.io/apimachinery/pkg/runtime/serializer/protobuf`).
 */
import { isObject } from '../members.js';
import { DecodeError } from '../json.js';
import { codecOf } from './codec.js';
import { message } from './message.js';
import { newWriter } from './wire.js';

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const RAW_TAG = 0x12;
/** No content encoding and no content type. */
const TAIL = Buffer.from([0x1a, 0x00, 0x22, 0x00]);

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface Envelope extends TypeMeta {
  readonly raw: Buffer;
}

const typeMeta = message({ apiVersion: [1, 'string'], kind: [2, 'string'] });
const unknown = codecOf(() =>
  message({
    typeMeta: [1, typeMeta],
    raw: [2, 'bytes'],
    contentEncoding: [3, 'string'],
    contentType: [4, 'string'],
  }),
);
const typeMetaCodec = codecOf(() => typeMeta);

/** An object's bytes in their envelope. */
export function seal(type: TypeMeta, raw: Buffer): Buffer {
  return Buffer.concat([sealHead(type, raw.length), raw, TAIL]);
}

/** The part before `rawLength` bytes of an object; {@link sealTail} is the part after them. */
export function sealHead({ apiVersion, kind }: TypeMeta, rawLength: number): Buffer {
  const type = typeMetaCodec.encode({ apiVersion, kind });
  const writer = newWriter().uint32(0x0a).bytes(type).uint32(RAW_TAG).uint32(rawLength);
  return Buffer.concat([MAGIC, writer.finish()]);
}

export const sealTail = (): Buffer => TAIL;

/** Returns the kind, `''` if there is none, and the object's bytes. Throws DecodeError with Kubernetes' messages. */
export function open(body: Buffer): Envelope {
  if (body.length === 0) throw new DecodeError('empty data');
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) {
    const expected = `[${[...MAGIC].join(' ')}]`;
    throw new DecodeError(
      `provided data does not appear to be a protobuf message, expected prefix ${expected}`,
    );
  }
  if (body.length === MAGIC.length) throw new DecodeError('empty body');
  const { typeMeta: type, raw = '' } = unknown.decode(body.subarray(MAGIC.length));
  const { apiVersion = '', kind = '' } = isObject(type) ? type : {};
  return { apiVersion: String(apiVersion), kind: String(kind), raw: Buffer.from(String(raw), 'base64') };
}
