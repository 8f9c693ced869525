import type { JsonValue } from '../../../api/resource.js';
import { setMember } from '../encoding/json.js';

type JsonMap = { [member: string]: JsonValue };

/**
 * RFC 7386 as in Kubernetes (`gopkg.in/evanphx/json-patch.v4`): null members delete, and, unlike the RFC, objects
 * inside lists of the patch lose their null members too; bare nulls in lists stay. A list is replaced completely.
 * Neither argument is modified; the result shares unchanged parts. The patch must come from `decodeMergePatch`.
 */
export function applyMergePatch(document: JsonValue, patch: JsonValue): JsonValue {
  if (!isMap(document)) return withoutNulls(patch);
  // The library does not process a list that replaces an object.
  if (!isMap(patch)) return patch;
  const out: JsonMap = {};
  for (const name of Object.keys(document)) {
    if (!Object.hasOwn(patch, name)) setMember(out, name, document[name] ?? null);
    else if (patch[name] !== null)
      setMember(out, name, applyMergePatch(document[name] ?? null, patch[name] ?? null));
  }
  for (const name of Object.keys(patch)) {
    if (Object.hasOwn(document, name) || patch[name] === null) continue;
    setMember(out, name, withoutNulls(patch[name] ?? null));
  }
  return out;
}

const isMap = (value: JsonValue): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  const out: JsonMap = {};
  for (const name of Object.keys(value)) {
    if (value[name] !== null) setMember(out, name, withoutNulls(value[name] ?? null));
  }
  return out;
}
