/** The kinds of patch that are understood, by media type. */
import type { JsonValue } from '../../api/resource.js';
import { failure } from '../apimachinery/errors.js';
import type { JsonDecoded } from '../apimachinery/encoding/json.js';
import type { FieldValidation } from '../apimachinery/patch/decode.js';
import { decodeJsonPatch, decodeMergePatch } from '../apimachinery/patch/decode.js';
import { applyJsonPatch } from '../apimachinery/patch/jsonpatch.js';
import { applyMergePatch } from '../apimachinery/patch/mergepatch.js';
import { PATCH_MEDIA_TYPES } from '../apimachinery/openapi/patchtypes.js';

export interface PatchKind {
  decode(body: Buffer, validation: FieldValidation): JsonDecoded;
  apply(document: JsonValue, patch: JsonValue): JsonValue;
}

const KINDS: Readonly<Record<string, PatchKind>> = {
  'application/json-patch+json': { decode: decodeJsonPatch, apply: applyJsonPatch },
  'application/merge-patch+json': { decode: decodeMergePatch, apply: applyMergePatch },
};

/** Throws StatusError 415. Anything after `;` is ignored. */
export function patchKind(contentType: string | undefined, builtIn: boolean): PatchKind {
  const kind = KINDS[(contentType ?? '').split(';', 1)[0]?.trim() ?? ''];
  if (kind !== undefined) return kind;
  if (builtIn) throw failure('UnsupportedMediaType', '415: Unsupported Media Type', {});
  throw failure(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${PATCH_MEDIA_TYPES.join(', ')}`,
  );
}
