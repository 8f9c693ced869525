import type { JsonValue } from '../../../api/resource.js';
import { negotiateInput } from '../negotiation.js';
import { encodeValue } from './canonical.js';
import { findAll } from './jsonscan.js';
import type { JsonDecoded } from './json.js';

/**
 * The strict findings of a body as Kubernetes orders them, at most 100: of JSON in the order of the text, of YAML its
 * duplicate keys first, then the unknown fields by name. `decoded` is what `decodeBody` made of `body`, with
 * duplicates; `unknown` are the paths (`spec.a[0].b`) that the schema does not have. Duplicates at or below an
 * unknown field are left out.
 */
export function strictFindings(
  body: Buffer,
  contentType: string | undefined,
  decoded: JsonDecoded,
  unknown: readonly string[],
): string[] {
  const paths = new Set(unknown);
  if (negotiateInput(contentType, ['json', 'yaml']) === 'yaml') {
    return [...decoded.duplicates, ...findAll(sorted(decoded.value), paths)];
  }
  if (decoded.duplicates.length === 0 && paths.size === 0) return [];
  return findAll(body.toString('utf8'), paths);
}

/** Findings on unknown fields of a value without a text, at most 100, sorted by name. */
export function unknownFindings(value: JsonValue, unknown: readonly string[]): string[] {
  return unknown.length === 0 ? [] : findAll(sorted(value), new Set(unknown));
}

/** Kubernetes decodes YAML as JSON with sorted members. */
const sorted = (value: JsonValue): string => encodeValue(value);
