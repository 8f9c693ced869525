/** PATCH with `application/apply-patch+yaml`: reads the body and hands it to the registry. */
import type { JsonValue } from '../../../api/resource.js';
import { goType } from '../../apimachinery/encoding/body.js';
import { DecodeError, type JsonDecoded } from '../../apimachinery/encoding/json.js';
import { checkObjectValues } from '../../apimachinery/encoding/valuecount.js';
import { badRequest } from '../../apimachinery/errors.js';
import { inSlices } from '../../apimachinery/eventloop/slices.js';
import type { FieldValidation } from '../../apimachinery/patch/decode.js';
import type { Authorizer } from '../../authorization/interface.js';
import { applyObject } from '../../registry/generic/apply.js';
import type { TrackedWriteOptions } from '../../registry/generic/create.js';
import type { Written } from '../../registry/generic/createonupdate.js';
import { decodeObject, type KnownKinds } from '../../registry/object/decode.js';
import { authorizeCreation } from '../filters/authorization.js';
import type { StoredKindRequest } from '../requestcontext.js';
import { warnOfFindings } from './strictwarnings.js';
import { readYaml, senderOf } from '../yamlworker/readyaml.js';

const APPLY_MEDIA_TYPE = 'application/apply-patch+yaml';

/** Whether a content type asks for an apply. Anything after `;` is ignored. */
export function isApply(contentType: string | undefined): boolean {
  return (contentType ?? '').split(';', 1)[0]?.trim() === APPLY_MEDIA_TYPE;
}

/** The body of an apply, and how it is to be read. */
export interface ApplyBody {
  readonly body: Buffer;
  readonly force: boolean;
  readonly validation: FieldValidation;
}

/**
 * The stored object, and whether it is new. Throws StatusError: 400 for a bad body, and the errors of `applyObject`.
 */
export async function applyPatch(
  call: StoredKindRequest,
  known: KnownKinds,
  authorizer: Authorizer,
  { body, force, validation }: ApplyBody,
  options: TrackedWriteOptions,
): Promise<Written> {
  const { info, store, user } = call;
  const { value: config, duplicates } = decodeConfig(await readYaml(body, senderOf(call.exchange)), body);
  call.audit?.sent(config);
  const request = {
    namespace: info.namespace,
    name: info.name,
    subresource: info.subresource,
    config,
    force,
    decode: async (value: JsonValue) => {
      report(call, duplicates, validation);
      return (await inSlices(decodeObject(store, known, value))).object;
    },
    authorizeCreation: () => authorizeCreation(authorizer, user, info),
  };
  return applyObject(store, request, options);
}

/** A text that begins as JSON does. */
const LIKE_JSON = /^\s*\{/;

function decodeConfig(read: () => JsonDecoded, body: Buffer): JsonDecoded {
  let decoded: JsonDecoded;
  try {
    decoded = read();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const step = LIKE_JSON.test(body.toString('latin1'))
      ? 'decoding patch: error converting YAML to JSON'
      : 'encoding patch';
    throw badRequest(`error ${step}: ${error.message}`);
  }
  const { value } = decoded;
  if (typeof value === 'object' && !Array.isArray(value)) {
    checkObjectValues(value ?? {});
    return decoded;
  }
  throw badRequest(
    `error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goType(value)} into Go value of type map[string]interface {}`,
  );
}

/** Reports duplicate keys only: unknown fields are refused regardless of the validation. */
function report(call: StoredKindRequest, duplicates: readonly string[], validation: FieldValidation): void {
  if (duplicates.length === 0) return;
  if (validation === 'Strict') {
    throw badRequest(`error strict decoding patch: error converting YAML to JSON: ${duplicates.join('\n')}`);
  }
  if (validation === 'Warn') warnOfFindings(call, duplicates);
}
