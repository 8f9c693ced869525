import type { JsonValue } from '../../../api/resource.js';
import { goType } from '../encoding/body.js';
import { DecodeError, SyntaxDecodeError, decodeJsonSteps, type JsonDecoded } from '../encoding/json.js';
import type { Steps } from '../eventloop/slices.js';
import { findAll } from '../encoding/jsonscan.js';
import { checkObjectValues } from '../encoding/valuecount.js';
import { badRequest, failure } from '../errors.js';
import { isContainer } from './pointer.js';

/** The `fieldValidation` of a request, resolved: absent is Warn. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/**
 * The body of a JSON Patch. Findings read `json patch duplicate field "[0].path"`, `json patch unknown field
 * "[0].foo"`. Throws 400: `invalid JSON patch`; `error decoding patch: …` under Warn and Strict. Whether the operations
 * are sound is for `jsonPatchSteps`.
 */
export function* decodeJsonPatch(body: Buffer | string, validation: FieldValidation): Steps<JsonDecoded> {
  if (validation === 'Ignore') return yield* parse(body, false, (why) => why);
  const { value, duplicates } = yield* parse(body, true, undecodable);
  if (value !== null && !Array.isArray(value)) {
    throw badRequest(undecodable(cannotUnmarshal(value, '[]handlers.jsonPatchOp')));
  }
  const unknown = unknownMembers(value ?? []);
  const findings = unknown.size === 0 ? duplicates : findAll(body.toString('utf8'), unknown);
  return { value, duplicates: findings.map((finding) => `json patch ${finding}`) };
}

const OPERATION_MEMBERS = new Set(['op', 'path', 'from', 'value']);

/** Paths of unknown members of operations. Throws 400 for values other than operations. */
function unknownMembers(operations: readonly JsonValue[]): Set<string> {
  const unknown = new Set<string>();
  for (const [index, operation] of operations.entries()) {
    if (operation === null) continue;
    if (!isContainer(operation) || Array.isArray(operation)) {
      throw badRequest(undecodable(cannotUnmarshal(operation, 'handlers.jsonPatchOp')));
    }
    for (const [name, member] of Object.entries(operation)) {
      if (!OPERATION_MEMBERS.has(name)) unknown.add(`[${index}].${name}`);
      else if (name !== 'value' && member !== null && typeof member !== 'string') {
        const field = `Go struct field jsonPatchOp.${name} of type string`;
        throw badRequest(undecodable(`json: cannot unmarshal ${goType(member)} into ${field}`));
      }
    }
  }
  return unknown;
}

/** The body of a strategic merge patch: an object; `null` is an empty one. Throws 400 with the decoder's bare text. */
export function* decodeStrategicMergePatch(
  body: Buffer | string,
  validation: FieldValidation,
): Steps<JsonDecoded> {
  const { value, duplicates } = yield* parse(body, validation !== 'Ignore', (why) => why);
  if (value === null) return { value: {}, duplicates };
  if (typeof value !== 'object' || Array.isArray(value))
    throw badRequest(cannotUnmarshal(value, 'map[string]interface {}'));
  checkObjectValues(value);
  return { value, duplicates };
}

/**
 * The body of a merge patch: an object. Throws 400 for anything else, with the text that depends on `validation`;
 * 422 for a list under Ignore.
 */
export function* decodeMergePatch(body: Buffer | string, validation: FieldValidation): Steps<JsonDecoded> {
  const strict = validation !== 'Ignore';
  const decoded = yield* parse(body, strict, strict ? undecodable : () => NO_PATCH);
  const { value } = decoded;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    checkObjectValues(value);
    return decoded;
  }
  if (value === null) throw badRequest(NO_PATCH);
  if (strict) throw badRequest(undecodable(cannotUnmarshal(value, 'map[string]interface {}')));
  if (!Array.isArray(value)) throw badRequest(NO_PATCH);
  throw failure('Invalid', 'the server rejected our request due to an error in our request', {});
}

const NO_PATCH = 'Invalid JSON Patch';

function cannotUnmarshal(value: JsonValue, type: string): string {
  return `json: cannot unmarshal ${goType(value)} into Go value of type ${type}`;
}

const undecodable = (why: string): string => `error decoding patch: ${why}`;

function* parse(
  body: Buffer | string,
  findDuplicates: boolean,
  refusal: (why: string) => string,
): Steps<JsonDecoded> {
  try {
    return yield* decodeJsonSteps(body, { findDuplicates });
  } catch (error) {
    if (error instanceof SyntaxDecodeError) throw badRequest('invalid JSON patch');
    throw error instanceof DecodeError ? badRequest(refusal(error.message)) : error;
  }
}
