/**
 * Encodes and decodes the messages of the KMS plug-in API of Kubernetes, version 2 (`k8s.io/kms/apis/v2/api.proto`).
 * Pure.
 */
import { lazyModule } from '../../../apimachinery/lazymodule.js';
import type protobuf from 'protobufjs/minimal.js';

const { Reader, Writer } = lazyModule<typeof protobuf>('protobufjs/minimal.js')();

/** An encrypted data key, as the plug-in returned it. */
export interface Wrapped {
  readonly ciphertext: Buffer;
  /** The id of the key in the KMS. */
  readonly keyId: string;
  readonly annotations: Readonly<Record<string, Buffer>>;
}

export interface PluginStatus {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

export const statusRequest = (): Buffer => Buffer.alloc(0);

export const encryptRequest = (plaintext: Buffer, uid: string): Buffer =>
  Buffer.from(Writer.create().uint32(tag(1)).bytes(plaintext).uint32(tag(2)).string(uid).finish());

export function decryptRequest({ ciphertext, keyId, annotations }: Wrapped, uid: string): Buffer {
  const writer = Writer.create();
  writer.uint32(tag(1)).bytes(ciphertext).uint32(tag(2)).string(uid).uint32(tag(3)).string(keyId);
  for (const [key, value] of Object.entries(annotations)) {
    writer.uint32(tag(4)).fork();
    writer.uint32(tag(1)).string(key).uint32(tag(2)).bytes(value).ldelim();
  }
  return Buffer.from(writer.finish());
}

/** The functions named `…Response` throw Error for bytes that are not such a message. */
export function statusResponse(bytes: Buffer): PluginStatus {
  const fields = fieldsOf(bytes);
  const [version, healthz, keyId] = [1, 2, 3].map((field) => lastOf(fields, field).toString());
  return { version: version ?? '', healthz: healthz ?? '', keyId: keyId ?? '' };
}

export function encryptResponse(bytes: Buffer): Wrapped {
  const fields = fieldsOf(bytes);
  const entries = (fields.get(3) ?? []).map((entry) => {
    const members = fieldsOf(entry);
    return [lastOf(members, 1).toString(), lastOf(members, 2)] as const;
  });
  return {
    ciphertext: lastOf(fields, 1),
    keyId: lastOf(fields, 2).toString(),
    annotations: Object.fromEntries(entries),
  };
}

export const decryptResponse = (bytes: Buffer): Buffer => lastOf(fieldsOf(bytes), 1);

const BYTES = 2;
const tag = (field: number): number => (field << 3) | BYTES;

/** Fields of wire type LEN, which all fields of these messages have. */
function fieldsOf(bytes: Buffer): ReadonlyMap<number, readonly Buffer[]> {
  const reader = Reader.create(bytes);
  const fields = new Map<number, Buffer[]>();
  while (reader.pos < reader.len) {
    const head = reader.uint32();
    if ((head & 7) !== BYTES) {
      reader.skipType(head & 7);
      continue;
    }
    const values = fields.get(head >>> 3) ?? [];
    values.push(Buffer.from(reader.bytes()));
    fields.set(head >>> 3, values);
  }
  return fields;
}

const lastOf = (fields: ReadonlyMap<number, readonly Buffer[]>, field: number): Buffer =>
  fields.get(field)?.at(-1) ?? Buffer.alloc(0);
