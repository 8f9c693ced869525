import type { JsonValue } from '../../../api/resource.js';
import { badRequest, quote, type StatusError } from '../errors.js';
import { negotiateInput, type MediaType } from '../negotiation.js';
import { runToCompletion, type Steps } from '../eventloop/slices.js';
import { DecodeError, decodeJsonSteps, type JsonDecoded } from './json.js';
import type { Codec } from './protobuf/codec.js';
import { open } from './protobuf/envelope.js';
import { MAX_BODY_VALUES, checkObjectValues } from './valuecount.js';
import { decodeYaml } from './yaml/yaml.js';

/** The number of bytes of an invalid body in an error. */
const SUMMARY_BYTES = 30;
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The bodies that an endpoint accepts. */
export interface BodyForm {
  /** The endpoint's Kind, for errors. */
  readonly kind?: string;
  /** Whether errors are those of the decoder alone. */
  readonly bare?: boolean;
  /** Decodes protobuf, if the endpoint accepts it; it has no findings. */
  readonly protobuf?: Codec;
  /** Returns YAML that was decoded beforehand. */
  readonly readYaml?: () => JsonDecoded;
}

/**
 * The body of POST, PUT and DELETE. The value is always an object, whose `kind` and `apiVersion` are strings where
 * present; empty YAML and `null` are `{}`. `findDuplicates`: whether findings are wanted (fieldValidation Warn or Strict).
 *
 * Throws a StatusError: 415 for a content type that is none of these (absent: JSON), 400 `the object provided
 * is unrecognized (must be of type Kind): …` for what cannot be read, 413 for more values than an object may have
 * (`k8s.io/apiserver/pkg/endpoints/handlers/rest.go`, transformDecodeError).
 */
export const decodeBody = (...of: Parameters<typeof decodeBodySteps>): JsonDecoded =>
  runToCompletion(decodeBodySteps(...of));

/** The same in steps, for the bodies of large objects. */
export function* decodeBodySteps(
  body: Buffer,
  contentType: string | undefined,
  findDuplicates: boolean,
  { kind = '', bare = false, protobuf, readYaml = () => decodeYaml(body) }: BodyForm = {},
): Steps<JsonDecoded> {
  const type = negotiateInput(contentType, bodyTypes(protobuf));
  try {
    if (protobuf !== undefined && type === 'protobuf') {
      return { value: decodeProtobuf(body, kind, protobuf), duplicates: [] };
    }
    const decoded = type === 'yaml' ? readYaml() : yield* decodeJsonSteps(body, { findDuplicates });
    const value = objectOf(decoded.value);
    yield;
    checkObjectValues(value);
    return { value, duplicates: findDuplicates ? decoded.duplicates : [] };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const jsonText =
      type === 'json' && !error.message.startsWith(PARSE_ERROR) && !(error instanceof VersionError);
    const why = jsonText ? PARSE_ERROR + error.message : error.message;
    throw bare ? badRequest(why) : unrecognized(kind, why, body);
  }
}

/** The encodings of a body, given how protobuf is read. */
function bodyTypes(protobuf: Codec | undefined): readonly MediaType[] {
  return protobuf === undefined ? ['json', 'yaml'] : ['json', 'yaml', 'protobuf'];
}

/** Only decodes the name of an object of another kind. */
function decodeProtobuf(body: Buffer, kind: string, codec: Codec): JsonValue {
  const { raw, ...type } = open(body);
  if (type.kind !== '' && type.kind !== kind) return { ...type };
  const named = Object.fromEntries(Object.entries(type).filter(([, text]) => text !== ''));
  try {
    const object = { ...named, ...codec.decode(raw, MAX_BODY_VALUES) };
    checkObjectValues(object);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const version = type.apiVersion.split('/').pop() ?? '';
    throw badRequest(`${kind} in version ${quote(version)} cannot be handled as a ${kind}: ${error.message}`);
  }
}

/** 400 `the object provided is unrecognized (must be of type Kind): <why> (<summary of the body>)`. */
function unrecognized(kind: string, why: string, body: Buffer): StatusError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${summarizeBody(body)})`,
  );
}

const PARSE_ERROR = "couldn't get version/kind; json parse error: ";

class VersionError extends DecodeError {}

function objectOf(value: JsonValue): { [member: string]: JsonValue } {
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new DecodeError(
      `${PARSE_ERROR}json: cannot unmarshal ${goType(value)} into Go value of type ${TYPE_META}`,
    );
  }
  for (const member of ['apiVersion', 'kind']) {
    const found = value[member];
    if (found === undefined || found === null || typeof found === 'string') continue;
    throw new DecodeError(
      `${PARSE_ERROR}json: cannot unmarshal ${goType(found)} into Go struct field .${member} of type string`,
    );
  }
  const { apiVersion } = value;
  if (typeof apiVersion === 'string' && apiVersion.split('/', 3).length > 2) {
    throw new VersionError(`unexpected GroupVersion string: ${apiVersion}`);
  }
  return value;
}

/** The name of a JSON value's type in errors of Go's decoder. */
export function goType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'number';
  return value === null ? 'null' : typeof value;
}

/** Summarizes the body for errors: its first 30 bytes, as text if they begin with `{`, otherwise in hexadecimal. */
function summarizeBody(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const shown = body.subarray(0, SUMMARY_BYTES).toString(body[0] === 0x7b ? 'utf8' : 'hex');
  return body.length > SUMMARY_BYTES ? `${shown} ...` : shown;
}
