import type { KubeObject } from '../../../api/resource.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Replaces the resourceVersion that was spliced into served bytes: see `ResourceSource.setResourceVersion`. */
export function setResourceVersion(bytes: Buffer, from: number, to: number): Buffer {
  const member = `"resourceVersion":"${from}"`;
  // Inside a JSON string the quotes would be escaped, so the match is a member.
  const at = bytes.indexOf(member, 0, 'latin1');
  if (at < 0) return reserialize(bytes, to);
  return Buffer.concat([
    bytes.subarray(0, at),
    Buffer.from(`"resourceVersion":"${to}"`, 'latin1'),
    bytes.subarray(at + member.length),
  ]);
}

function reserialize(bytes: Buffer, revision: number): Buffer {
  const object = parseStored<KubeObject>(bytes);
  return Buffer.from(
    JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: `${revision}` } }),
  );
}
