import type { JsonValue } from '../../../api/resource.js';
import { goType } from '../encoding/body.js';
import { DecodeError, decodeJson } from '../encoding/json.js';
import type { JsonDecoded } from '../encoding/json.js';
import { badRequest, failure } from '../errors.js';

/** The `fieldValidation` of a request, resolved: absent is Warn. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/**
 * The body of a JSON Patch. Findings read `json patch duplicate field "[0].path"`. Throws 400: `error decoding patch:
 * …` under Warn and Strict. Whether the operations are sound is for `applyJsonPatch`.
 */
export function decodeJsonPatch(body: Buffer | string, validation: FieldValidation): JsonDecoded {
  const strict = validation !== 'Ignore';
  const { value, duplicates } = parse(body, strict, (why) => why);
  if (strict && value !== null && !Array.isArray(value)) {
    throw badRequest(`error decoding patch: ${cannotUnmarshal(value, '[]interface {}')}`);
  }
  return { value, duplicates: duplicates.map((finding) => `json patch ${finding}`) };
}

/**
 * The body of a merge patch: an object. Throws 400 for anything else, with the text that depends on `validation`;
 * 422 for a list under Ignore.
 */
export function decodeMergePatch(body: Buffer | string, validation: FieldValidation): JsonDecoded {
  const strict = validation !== 'Ignore';
  const decoded = parse(body, strict, () => NO_PATCH);
  const { value } = decoded;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return decoded;
  if (value === null) throw badRequest(NO_PATCH);
  if (strict) throw badRequest(`error decoding patch: ${cannotUnmarshal(value, 'map[string]interface {}')}`);
  if (!Array.isArray(value)) throw badRequest(NO_PATCH);
  throw failure('Invalid', 'the server rejected our request due to an error in our request', {});
}

const NO_PATCH = 'Invalid JSON Patch';

function cannotUnmarshal(value: JsonValue, type: string): string {
  return `json: cannot unmarshal ${goType(value)} into Go value of type ${type}`;
}

function parse(body: Buffer | string, strict: boolean, whenIgnored: (why: string) => string): JsonDecoded {
  try {
    return decodeJson(body, { findDuplicates: strict });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(strict ? `error decoding patch: ${error.message}` : whenIgnored(error.message));
  }
}
