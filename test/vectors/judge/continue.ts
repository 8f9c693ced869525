/** Lines of continue.jsonl. */
import { equal, ok } from 'node:assert/strict';
import { decodeContinue, encodeContinue } from '../../../pkg/apimachinery/continue.js';
import { refusalOf, same } from './same.js';

export interface ContinueVector {
  readonly id: string;
  readonly kind: 'decode' | 'encode';
  readonly prefix: string;
  readonly key: string;
  readonly rv: number;
  readonly token: string;
  readonly decoded: string;
  readonly error?: string;
}

/** Texts of the server itself; the others are those of Go's decoders. */
const OWN_TEXT = /version|: [./a-z]*\/[./a-z]*$|base64/;

export function judgeContinue(vector: ContinueVector): void {
  if (vector.kind === 'decode') judgeDecode(vector);
  else judgeEncode(vector);
}

function judgeDecode({ token, key, prefix, rv, error }: ContinueVector): void {
  if (error === undefined) {
    const revision = Math.min(rv, Number.MAX_SAFE_INTEGER);
    same(decodeContinue(token), { revision, start: key.slice(prefix.length) });
    return;
  }
  const refusal = refusalOf(() => decodeContinue(token));
  const message = `invalid continue token: ${OWN_TEXT.test(error) ? error : 'continue key is not valid: '}`;
  equal(refusal?.code, 400);
  ok(refusal.message.includes(message), `${refusal.message} has no ${message}`);
}

function judgeEncode({ token, decoded, key, prefix, rv, error }: ContinueVector): void {
  // Our tokens are made of keys below the prefix; one that is not cannot be said.
  if (error !== undefined) return ok(!key.startsWith(prefix));
  const encoded = encodeContinue({ revision: rv, start: key.slice(prefix.length) });
  equal(encoded, token);
  equal(Buffer.from(encoded, 'base64url').toString('utf8'), decoded);
}
