/** From a patch to the object that it asks for. */
import { jsonOfObject } from '../../apimachinery/encoding/objectjson.js';
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import { unknownFindings } from '../../apimachinery/encoding/findings.js';
import type { JsonDecoded } from '../../apimachinery/encoding/json.js';
import { StatusError, badRequest, clip, failure, quote } from '../../apimachinery/errors.js';
import type { FieldValidation } from '../../apimachinery/patch/decode.js';
import { inSlices, slices } from '../../apimachinery/slices.js';
import type { KnownKinds } from '../../registry/object/decode.js';
import { decodeObject } from '../../registry/object/decode.js';
import { versionMissing } from '../../registry/generic/preconditions.js';
import type { ResourceCall } from '../authenticatedcall.js';
import { warnOfFindings } from './strictwarnings.js';
import type { PatchKind } from './patchtypes.js';

/**
 * What the patch in `body` makes of a live object. The patch is read when there is one, because a patch of what does
 * not exist is 404 whatever it says.
 *
 * The change throws StatusError: 400 for an unreadable patch, 413 for too many operations, 422 where the patch cannot
 * be applied, or its result does not fit the kind or has findings under Strict.
 */
export function changeOfPatch(
  call: ResourceCall,
  known: KnownKinds,
  kind: PatchKind,
  body: Buffer,
  validation: FieldValidation,
): (live: KubeObject) => Promise<KubeObject> {
  let decoded: JsonDecoded | undefined;
  return async (live) => {
    const pause = slices();
    decoded ??= kind.decode(body, validation);
    const { value: patch, duplicates } = decoded;
    await pause();
    const value = await inSlices(kind.apply(jsonOfObject(live), patch, call.store.schema));
    await pause();
    try {
      const { object, unknown } = decodeObject(call.store, known, copyJson(kind.check(value)));
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
      throw misfit(error, () => kind.print(schema.hideSensitive(value), schema.hideSensitive(patch)));
    }
  };
}

/** A patch may leave the version alone; one that takes it away asks for what PUT without one does. */
function requireVersion(definition: ResourceDefinition, name: string, { metadata }: KubeObject): void {
  if ((metadata.resourceVersion ?? '') !== '' || definition.unconditionalUpdate) return;
  if ((metadata.name ?? '') === name) throw versionMissing(definition, name);
}

const MOST_SHOWN = 64 * 1024;

/** What decoding answers with 400 is 422 in a patch, and shows the value, as much of it as is of use. */
function misfit(error: unknown, print: () => string): unknown {
  if (!(error instanceof StatusError) || error.code !== 400) return error;
  const why = error.message.replace(
    /^.*? cannot be handled as a [^:]*: (?=json: |illegal base64|parsing time|no kind |converting )/,
    '',
  );
  const message = `Invalid value: ${quote(clip(print(), MOST_SHOWN))}: ${why}`;
  return failure('Invalid', ` "" is invalid: patch: ${message}`, {
    causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
  });
}
