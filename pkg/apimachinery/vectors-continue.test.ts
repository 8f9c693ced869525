import { describe, expect, test } from '@jest/globals';
import { readVectors } from '../../test/vectors/read.js';
import { decodeContinue, encodeContinue } from './continue.js';

interface Vector {
  id: string;
  kind: 'decode' | 'encode';
  prefix: string;
  key: string;
  rv: number;
  token: string;
  decoded: string;
  error?: string;
}

const vectors = readVectors<Vector>('continue');
const named = (kind: Vector['kind'], failing: boolean) =>
  vectors
    .filter((vector) => vector.kind === kind && (vector.error !== undefined) === failing)
    .map((vector) => [vector.id, vector] as const);

/** Texts of the server itself; the others are those of Go's decoders. */
const OWN_TEXT = /version|: [./a-z]*\/[./a-z]*$|base64/;

describe('continue vectors', () => {
  test.each(named('decode', false))('%s', (_id, { token, key, prefix, rv }) => {
    const revision = Math.min(rv, Number.MAX_SAFE_INTEGER);
    expect(decodeContinue(token)).toEqual({ revision, start: key.slice(prefix.length) });
  });

  test.each(named('decode', true))('%s', (_id, { token, error = '' }) => {
    const message = `invalid continue token: ${OWN_TEXT.test(error) ? error : 'continue key is not valid: '}`;
    expect(() => decodeContinue(token)).toThrow(message);
    expect(() => decodeContinue(token)).toThrow(expect.objectContaining({ code: 400 }));
  });

  // The one encoding that fails is of a key outside the collection, which a relative key cannot express.
  test.each(named('encode', false))('%s', (_id, { token, decoded, key, prefix, rv }) => {
    const encoded = encodeContinue({ revision: rv, start: key.slice(prefix.length) });
    expect(encoded).toBe(token);
    expect(Buffer.from(encoded, 'base64url').toString('utf8')).toBe(decoded);
  });
});
