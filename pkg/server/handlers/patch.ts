/** From a patch to the object that it asks for. */
import { jsonOfObject } from '../../apimachinery/encoding/objectjson.js';
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import { unknownFindings } from '../../apimachinery/encoding/findings.js';
import type { JsonDecoded } from '../../apimachinery/encoding/json.js';
import { StatusError, badRequest, clip, failure, quote } from '../../apimachinery/errors.js';
import type { FieldValidation } from '../../apimachinery/patch/decode.js';
import { inSlices, slices } from '../../apimachinery/eventloop/slices.js';
import { decodeObject, type KnownKinds } from '../../registry/object/decode.js';
import { versionMissing } from '../../registry/generic/preconditions.js';
import type { StoredKindRequest } from '../requestcontext.js';
import { refuseReadingPatch } from '../../apimachinery/patch/sensitivemoves.js';
import { warnOfFindings } from './strictwarnings.js';
import type { PatchKind } from './patchtypes.js';

export interface SentPatch {
  readonly body: Buffer;
  readonly validation: FieldValidation;
  /** Whether the caller may read the object: who may not is shown nothing of it, and reads nothing of it by the patch. */
  readonly readable: Promise<boolean>;
}

/**
 * The change of a live object by the patch in `body`. The patch is read only if the object exists, as a patch of a
 * missing object is 404 regardless of its content.
 *
 * The change throws StatusError: 400 for an unreadable patch, 413 for too many operations, 422 if the patch cannot be
 * applied, or its result does not fit the kind or has findings under Strict.
 */
export function changeOfPatch(
  call: StoredKindRequest,
  known: KnownKinds,
  kind: PatchKind,
  { body, validation, readable }: SentPatch,
): (live: KubeObject) => Promise<KubeObject> {
  let decoded: JsonDecoded | undefined;
  return async (live) => {
    const pause = slices();
    decoded ??= await inSlices(kind.decode(body, validation));
    const { value: patch, duplicates } = decoded;
    const mayGet = await readable;
    if (!mayGet) refuseReadingPatch(patch);
    await pause();
    const value = await inSlices(kind.apply(jsonOfObject(live), patch, call.store.schema));
    await pause();
    try {
      const checked = copyJson(kind.check(value));
      await pause();
      const { object, unknown } = await inSlices(decodeObject(call.store, known, checked));
      requireVersion(call.store.definition, call.info.name, object);
      if (validation === 'Ignore') return object;
      await pause();
      const findings = [...duplicates, ...unknownFindings(value, unknown)];
      if (findings.length > 0 && validation === 'Strict')
        throw badRequest(`strict decoding error: ${findings.join(', ')}`);
      warnOfFindings(call, findings);
      return object;
    } catch (error) {
      const { schema } = call.store;
      const shown = mayGet ? value : patch;
      throw misfit(error, () => kind.print(schema.hideSensitive(shown), schema.hideSensitive(patch)));
    }
  };
}

/** A patch may omit the version; one that removes it fails as a PUT without one. */
function requireVersion(definition: ResourceDefinition, name: string, { metadata }: KubeObject): void {
  if ((metadata.resourceVersion ?? '') !== '' || definition.unconditionalUpdate) return;
  if ((metadata.name ?? '') === name) throw versionMissing(definition, name);
}

const MAX_SHOWN = 64 * 1024;

/** Errors of decoding have code 422 in a patch, and show the value, shortened. */
function misfit(error: unknown, print: () => string): unknown {
  if (!(error instanceof StatusError) || error.code !== 400) return error;
  const why = error.message.replace(
    /^.*? cannot be handled as a [^:]*: (?=json: |illegal base64|parsing time|no kind |converting )/,
    '',
  );
  const message = `Invalid value: ${quote(clip(print(), MAX_SHOWN))}: ${why}`;
  return failure('Invalid', ` "" is invalid: patch: ${message}`, {
    causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
  });
}
