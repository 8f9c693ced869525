/** The kinds of patch that are understood, by media type. */
import type { JsonValue } from '../../../api/resource.js';
import { badRequest, failure } from '../../apimachinery/errors.js';
import { goType } from '../../apimachinery/encoding/body.js';
import type { JsonDecoded } from '../../apimachinery/encoding/json.js';
import {
  decodeJsonPatch,
  decodeMergePatch,
  decodeStrategicMergePatch,
  type FieldValidation,
} from '../../apimachinery/patch/decode.js';
import { jsonPatchSteps } from '../../apimachinery/patch/jsonpatch.js';
import { applyMergePatch } from '../../apimachinery/patch/mergepatch.js';
import { refuseSensitiveMoves } from '../../apimachinery/patch/sensitivemoves.js';
import { printGo } from '../../apimachinery/patch/printgo.js';
import { applyStrategicMergePatch } from '../../apimachinery/patch/strategicmerge.js';
import { isMap } from '../../apimachinery/patch/strategicmergevalue.js';
import { PATCH_MEDIA_TYPES } from '../../apimachinery/openapi/patchtypes.js';
import type { Steps } from '../../apimachinery/eventloop/slices.js';
import type { CompiledSchema } from '../../apimachinery/schema/compile.js';
import { isInteger } from '../../../api/exactjson.js';

export interface PatchKind {
  /** `duplicates`: all strict findings on the patch itself. */
  decode(body: Buffer, validation: FieldValidation): Steps<JsonDecoded>;
  /** Changes neither `document` nor `patch`. */
  apply(document: JsonValue, patch: JsonValue, schema: CompiledSchema): Steps<JsonValue>;
  /** The decoded patched document. Throws StatusError 400 if the document is refused before decoding. */
  check(patched: JsonValue): JsonValue;
  /** The bad value that a message shows when the patched document does not decode. */
  print(patched: JsonValue, patch: JsonValue): string;
}

const inOneStep = (
  apply: (document: JsonValue, patch: JsonValue, schema: CompiledSchema) => JsonValue,
): PatchKind['apply'] =>
  function* (document, patch, schema) {
    return apply(document, patch, schema);
  };

const printJson = (patched: JsonValue): string => JSON.stringify(patched);

const KINDS: Readonly<Record<string, PatchKind>> = {
  'application/json-patch+json': {
    decode: decodeJsonPatch,
    apply: (document, patch, schema) => {
      refuseSensitiveMoves(patch, schema);
      return jsonPatchSteps(document, patch);
    },
    check: requireVersionKind,
    print: printJson,
  },
  'application/merge-patch+json': {
    decode: decodeMergePatch,
    apply: inOneStep(applyMergePatch),
    check: requireVersionKind,
    print: printJson,
  },
  'application/strategic-merge-patch+json': {
    decode: decodeStrategicMergePatch,
    apply: inOneStep((document, patch, schema) =>
      withKindOf(document, applyStrategicMergePatch(document, patch, schema.patchType())),
    ),
    check: requireKindText,
    print: (_, patch) => printGo(patch),
  },
};

/** Go merges into an existing struct, which keeps its kind regardless of the patch. */
function withKindOf(document: JsonValue, patched: JsonValue): JsonValue {
  if (!isMap(document) || !isMap(patched)) return patched;
  const names = ['kind', 'apiVersion'].filter((name) => typeof patched[name] === 'string');
  return { ...patched, ...Object.fromEntries(names.map((name) => [name, document[name] ?? null])) };
}

/** The texts of Go's conversion into the struct at hand. */
function requireKindText(patched: JsonValue): JsonValue {
  if (!isMap(patched)) return patched;
  for (const value of [patched.kind ?? '', patched.apiVersion ?? '']) {
    if (typeof value === 'string') continue;
    throw badRequest(isInteger(value) ? 'cannot convert int64 to string' : 'unrecognized type: string');
  }
  return patched;
}

/**
 * The type of a patched document is read from it first, in which kind may be absent. Without apiVersion it is decoded
 * into Kubernetes' internal type, which reads no member: nothing of the document is left, not even its name.
 */
function requireVersionKind(patched: JsonValue): JsonValue {
  if (!isMap(patched)) return patched;
  const apiVersion = requireText(patched, 'apiVersion');
  requireText(patched, 'kind');
  if (apiVersion.split('/').length > 2) throw badRequest(`unexpected GroupVersion string: ${apiVersion}`);
  return apiVersion === '' ? {} : patched;
}

function requireText(patched: { readonly [member: string]: JsonValue }, name: string): string {
  const value = patched[name] ?? '';
  if (typeof value === 'string') return value;
  throw badRequest(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(value)} into Go struct field .${name} of type string`,
  );
}

/** Throws StatusError 415. Anything after `;` is ignored. */
export function patchKind(contentType: string | undefined, builtIn: boolean): PatchKind {
  const kind = KINDS[(contentType ?? '').split(';', 1)[0]?.trim() ?? ''];
  if (kind !== undefined) return kind;
  if (builtIn && !namesAny(contentType)) {
    throw failure('UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  throw failure(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${PATCH_MEDIA_TYPES.join(', ')}`,
  );
}

/** The routes of Kubernetes' own kinds let a header pass that names an understood type among several. */
const namesAny = (contentType = ''): boolean =>
  contentType.split(',').some((each) => PATCH_MEDIA_TYPES.includes(each.split(';', 1)[0]?.trim() ?? ''));
