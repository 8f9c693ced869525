/** Lines of strictdecode.jsonl. */
import { equal, ok } from 'node:assert/strict';
import type { JsonValue, ResourceDefinition } from '../../../api/resource.js';
import { decodeBody } from '../../../pkg/apimachinery/encoding/body.js';
import { strictFindings } from '../../../pkg/apimachinery/encoding/findings.js';
import { compileSchema, type CompiledSchema } from '../../../pkg/apimachinery/schema/compile.js';
import { decodeObject } from '../../../pkg/registry/object/decode.js';
import { refusalOf, same, sameButEmpty } from './same.js';
import { runToCompletion } from '../../../pkg/apimachinery/eventloop/slices.js';

interface StrictDecodeVector {
  readonly id: string;
  readonly in?: string;
  readonly inBase64?: string;
  readonly format: 'json' | 'yaml';
  readonly kind: string;
  readonly object?: { readonly [member: string]: JsonValue };
  readonly findings?: readonly string[];
  readonly error?: string;
  readonly class?: string;
}

/** Texts of errors that need no schema; the others name Go's types. */
const SYNTAX = /^(couldn't get version\/kind|unexpected GroupVersion|yaml: )/;
const GO_YAML = /^yaml: |^json: unsupported value|^unsupported map key/;

export type StrictDecodeJudge = (vector: StrictDecodeVector) => void;

/** `definitionOf`: the kind of an endpoint. */
export function strictDecodeJudge(definitionOf: (kind: string) => ResourceDefinition): StrictDecodeJudge {
  const compiled = new Map<string, { definition: ResourceDefinition; schema: CompiledSchema }>();
  return (vector) => {
    const { kind } = vector;
    const known = compiled.get(kind);
    const definition = known?.definition ?? definitionOf(kind);
    const store = known ?? { definition, schema: compileSchema(definition) };
    compiled.set(kind, store);
    judge(vector, store);
  };
}

function judge(
  vector: StrictDecodeVector,
  store: { readonly definition: ResourceDefinition; readonly schema: CompiledSchema },
): void {
  const body =
    vector.inBase64 === undefined ? Buffer.from(vector.in ?? '') : Buffer.from(vector.inBase64, 'base64');
  const contentType = `application/${vector.format}`;
  const read = () => {
    const decoded = decodeBody(body, contentType, true, { kind: vector.kind });
    const { schema, definition } = store;
    const value = structuredClone(decoded.value);
    const steps = decodeObject({ definition, schema, strategy: {} }, [definition], value);
    const { object, unknown } = runToCompletion(steps);
    return { object, findings: strictFindings(body, contentType, decoded, unknown) };
  };
  if (vector.error !== undefined) return judgeError(vector, vector.error, read);
  const { object, findings } = read();
  same(findings, vector.findings ?? []);
  sameButEmpty(object, vector.object);
}

function judgeError(vector: StrictDecodeVector, expected: string, read: () => unknown): void {
  const refusal = refusalOf(read);
  equal(refusal?.code, 400);
  if (!SYNTAX.test(expected) && !GO_YAML.test(expected)) return;
  const prefix = `the object provided is unrecognized (must be of type ${vector.kind}): `;
  // Positions of YAML errors are the library's.
  const text = GO_YAML.test(expected) ? prefix : `${prefix}${expected} (`;
  ok(refusal.message.startsWith(text), `${refusal.message} does not begin with ${text}`);
}
