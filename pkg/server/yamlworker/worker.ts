/** Reads YAML in a thread of its own: see `readyaml.ts`. One message for each body, one answer in its order. */
import { parentPort } from 'node:worker_threads';
import { StatusError } from '../../apimachinery/errors.js';
import { DecodeError } from '../../apimachinery/encoding/json.js';
import { decodeYaml } from '../../apimachinery/encoding/yaml/yaml.js';

/** The parsed body as JSON text, which is faster to pass on than objects; or the error. */
export type Reading =
  | { readonly json: string; readonly duplicates: string[] }
  | { readonly refused: string }
  | { readonly refusedBy: StatusError['status'] };

function read(body: Uint8Array): Reading {
  try {
    const { value, duplicates } = decodeYaml(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
    return { json: JSON.stringify(value), duplicates };
  } catch (error) {
    if (error instanceof StatusError) return { refusedBy: error.status };
    if (!(error instanceof DecodeError)) throw error;
    return { refused: error.message };
  }
}

parentPort?.on('message', (body: Uint8Array) => {
  parentPort?.postMessage(read(body));
});
