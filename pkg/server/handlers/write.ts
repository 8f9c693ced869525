/** POST, PUT and PATCH: negotiate, read, decode, and hand over to the registry. */
import type { KubeObject } from '../../../api/resource.js';
import { decodeBodySteps } from '../../apimachinery/encoding/body.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import { strictFindings } from '../../apimachinery/encoding/findings.js';
import { protobufOf } from '../../apimachinery/encoding/protobuf/kind.js';
import { badRequest, invalid, quote, type FieldError, type KindName } from '../../apimachinery/errors.js';
import { managerName } from '../../apimachinery/managedfields/managername.js';
import { parseContentType } from '../../apimachinery/mediatype.js';
import { MEDIA_TYPE } from '../../apimachinery/negotiation.js';
import { parseQuery } from '../../apimachinery/options/query.js';
import {
  CREATE_OPTIONS_KIND,
  PATCH_OPTIONS_KIND,
  UPDATE_OPTIONS_KIND,
  parseCreateOptions,
  parsePatchOptions,
  parseUpdateOptions,
  validateCreateOptions,
  validatePatchOptions,
  validateUpdateOptions,
  type WriteOptions,
} from '../../apimachinery/options/write.js';
import type { FieldValidation } from '../../apimachinery/patch/decode.js';
import { inSlices, slices } from '../../apimachinery/eventloop/slices.js';
import type { Authorizer } from '../../authorization/interface.js';
import { createObject, type TrackedWriteOptions } from '../../registry/generic/create.js';
import { putObject } from '../../registry/generic/createonupdate.js';
import { decodeObject, type KnownKinds } from '../../registry/object/decode.js';
import type { Stored } from '../../registry/resourcestore.js';
import { checkIdentity } from '../../registry/generic/preconditions.js';
import { updateObject } from '../../registry/generic/update.js';
import { authorizeCreation } from '../filters/authorization.js';
import { mayGet } from './answerform.js';
import { applyPatch, isApply } from './apply.js';
import { warn, type StoredKindRequest, type KindRequest } from '../requestcontext.js';
import { inTime } from '../filters/deadline.js';
import { representationOf } from '../responsewriters/representation.js';
import { permittedBody } from './permittedbody.js';
import { warnOfFindings } from './strictwarnings.js';
import { changeOfPatch } from './patch.js';
import { patchKind } from './patchtypes.js';
import { sendStored } from './sendstored.js';
import { isYaml, readYaml, senderOf } from '../yamlworker/readyaml.js';

export async function serveCreate(call: StoredKindRequest, known: KnownKinds): Promise<void> {
  const query = parseQuery(call.info.query);
  const representation = representationOf(call, query, 'object');
  const body = await permittedBody(call);
  const options = parseCreateOptions(query);
  refuse(CREATE_OPTIONS_KIND, validateCreateOptions(options));
  const object = await objectFrom(call, known, body, options);
  const stored = await inTime(
    call,
    createObject(call.store, call.info.namespace, object, contextOf(call, options)),
  );
  call.audit?.named(nameIn(stored));
  await sendStored(call, 201, stored, { representation, readable: true });
}

/** Stored objects begin with kind, apiVersion, resourceVersion and name. */
function nameIn({ bytes }: Stored): string {
  return (
    /"metadata":\{(?:"resourceVersion":"\d+",)?"name":"([^"]*)"/.exec(
      bytes.toString('latin1', 0, 512),
    )?.[1] ?? ''
  );
}

export async function serveUpdate(
  call: StoredKindRequest,
  known: KnownKinds,
  authorizer: Authorizer,
): Promise<void> {
  const { info, store } = call;
  const query = parseQuery(info.query);
  const representation = representationOf(call, query, 'object');
  const body = await permittedBody(call);
  const options = parseUpdateOptions(query);
  refuse(UPDATE_OPTIONS_KIND, validateUpdateOptions(options));
  const object = await objectFrom(call, known, body, options);
  checkIdentity(store, info, object);
  const change = (): KubeObject => copyJson(object);
  const versioned = (object.metadata.resourceVersion ?? '') !== '';
  const request = { ...addressOf(call), change, versionRequired: true, versioned };
  const context = contextOf(call, options);
  const allowed = mayGet(call, authorizer);
  const written = putObject(store, object, request, context, () =>
    authorizeCreation(authorizer, call.user, info),
  );
  const { stored, created } = await inTime(call, written);
  const readable = created || (await allowed);
  await sendStored(call, created ? 201 : 200, stored, { representation, readable });
}

export async function servePatch(
  call: StoredKindRequest,
  known: KnownKinds,
  authorizer: Authorizer,
): Promise<void> {
  const { info, store, exchange } = call;
  const contentType = exchange.request.headers['content-type'];
  const kind = isApply(contentType) ? undefined : patchKind(contentType, store.definition.builtIn);
  const query = parseQuery(info.query);
  const representation = representationOf(call, query, 'object');
  const body = await permittedBody(call);
  const options = parsePatchOptions(query);
  refuse(PATCH_OPTIONS_KIND, validatePatchOptions(options, kind === undefined));
  const context = contextOf(call, options);
  const validation = validationOf(options);
  const allowed = mayGet(call, authorizer);
  if (kind === undefined) {
    const applied = applyPatch(
      call,
      known,
      authorizer,
      { body, force: options.force ?? false, validation },
      context,
    );
    const { stored, created } = await inTime(call, applied);
    const readable = created || (await allowed);
    await sendStored(call, created ? 201 : 200, stored, { representation, readable });
    return;
  }
  const change = changeOfPatch(call, known, kind, { body, validation, readable: allowed });
  const request = { ...addressOf(call), change, versionRequired: false };
  const stored = await inTime(call, updateObject(store, request, context));
  await sendStored(call, 200, stored, { representation, readable: await allowed });
}

const addressOf = ({
  info,
}: StoredKindRequest): { namespace: string; name: string; subresource: string } => ({
  namespace: info.namespace,
  name: info.name,
  subresource: info.subresource,
});

/** The field manager of a write. */
export function managerOf({ exchange }: KindRequest, { fieldManager }: WriteOptions): string {
  const userAgent = exchange.request.headers['user-agent'] ?? '';
  return managerName(fieldManager, Buffer.from(userAgent, 'latin1').toString('utf8'));
}

/** The options of a write by its user. */
export function contextOf(call: KindRequest, options: WriteOptions): TrackedWriteOptions {
  return {
    fieldManager: managerOf(call, options),
    requester: call.user,
    dryRun: options.dryRun.length > 0,
    warn: (text) => {
      warn(call, text);
    },
  };
}

/** Throws StatusError 422 if there are errors. */
export function refuse(kind: KindName, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(kind, '', errors);
}

/** The object of a body. Throws StatusError 400, 415. */
export async function objectFrom(
  call: KindRequest,
  known: KnownKinds,
  body: Buffer,
  options: WriteOptions,
): Promise<KubeObject> {
  const { kind } = call.store.definition;
  const contentType = call.exchange.request.headers['content-type'];
  const validation = validationOf(options);
  const protobuf = protobufOf(call.store.definition)?.object;
  const yaml = isYaml(contentType) ? await readYaml(body, senderOf(call.exchange)) : undefined;
  const form = { kind, protobuf, readYaml: yaml };
  const pause = slices();
  const decoded = await inSlices(decodeBodySteps(body, contentType, validation !== 'Ignore', form));
  await pause();
  if (isYaml(contentType) || isProtobuf(contentType)) call.audit?.sent(decoded.value);
  // Findings in YAML are derived from the decoded value; those in JSON from the text.
  const value = isYaml(contentType) ? structuredClone(decoded.value) : decoded.value;
  const { object, unknown } = await inSlices(decodeObject(call.store, known, value));
  await pause();
  const silent = validation === 'Ignore' || isProtobuf(contentType);
  const findings = silent ? [] : strictFindings(body, contentType, decoded, unknown);
  if (findings.length > 0 && validation === 'Strict') {
    const { version } = call.store.definition;
    throw badRequest(
      `${kind} in version ${quote(version)} cannot be handled as a ${kind}: strict decoding error: ${findings.join(', ')}`,
    );
  }
  if (validation === 'Warn') warnOfFindings(call, findings);
  return object;
}

/** Its unknown fields are skipped without a word, as in Kubernetes. */
const isProtobuf = (contentType: string | undefined): boolean =>
  parseContentType(contentType ?? '') === MEDIA_TYPE.protobuf;

/** Of options that were validated. Absent is Warn. */
function validationOf({ fieldValidation }: WriteOptions): FieldValidation {
  return fieldValidation === 'Ignore' || fieldValidation === 'Strict' ? fieldValidation : 'Warn';
}
