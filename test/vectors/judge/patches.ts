/** Lines of jsonpatch.jsonl and mergepatch.jsonl. */
import { equal } from 'node:assert/strict';
import type { JsonValue } from '../../../api/resource.js';
import { decodeJsonPatch, decodeMergePatch } from '../../../pkg/apimachinery/patch/decode.js';
import { runToCompletion } from '../../../pkg/apimachinery/eventloop/slices.js';
import { jsonPatchSteps } from '../../../pkg/apimachinery/patch/jsonpatch.js';
import { applyMergePatch } from '../../../pkg/apimachinery/patch/mergepatch.js';
import { refusalOf, refuses, same } from './same.js';

export interface PatchVector {
  readonly id: string;
  readonly doc: JsonValue;
  readonly patch: string;
  readonly copyLimit?: number;
  readonly result?: JsonValue;
  readonly warnError?: string;
  readonly findings?: readonly string[];
  readonly error?: { readonly code: number; readonly message: string; readonly stage?: 'decode' | 'apply' };
}

const HIDDEN_CAUSE = 'the server rejected our request due to an error in our request';

export function judgeJsonPatch(vector: PatchVector): void {
  const before = JSON.stringify(vector.doc);
  const apply = (): JsonValue =>
    runToCompletion(jsonPatchSteps(vector.doc, decoded(decodeJsonPatch, vector.patch), vector.copyLimit ?? Infinity));
  const { error, result } = vector;
  if (error === undefined) same(apply(), result);
  else refuses(apply, error.code, error.stage === 'decode' ? error.message : HIDDEN_CAUSE);
  equal(JSON.stringify(vector.doc), before, 'the document was changed');
  judgeFindings(vector, decodeJsonPatch, 'json patch ');
}

export function judgeMergePatch(vector: PatchVector): void {
  const before = JSON.stringify(vector.doc);
  const apply = (): JsonValue => applyMergePatch(vector.doc, decoded(decodeMergePatch, vector.patch));
  const { error, result } = vector;
  // A list becomes the document, which then decodes to no object: the server answers 422.
  if (Array.isArray(result)) equal(refusalOf(apply)?.code, 422);
  else if (error === undefined) same(apply(), result);
  else refuses(apply, error.code, error.message);
  equal(JSON.stringify(vector.doc), before, 'the document was changed');
  judgeFindings(vector, decodeMergePatch, '');
}

const decoded = (decode: typeof decodeMergePatch, patch: string): JsonValue =>
  runToCompletion(decode(patch, 'Ignore')).value;

/** What decoding says first under Warn. */
function judgeFindings(
  { patch, warnError, findings }: PatchVector,
  decode: typeof decodeMergePatch,
  prefix: string,
): void {
  const read = () => runToCompletion(decode(patch, 'Warn')).duplicates;
  if (warnError !== undefined) return refuses(read, 400, `error decoding patch: ${warnError}`);
  if (findings !== undefined)
    same(
      read(),
      findings.map((finding) => prefix + finding),
    );
}
