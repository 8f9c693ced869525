import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../../api/resource.js';
import { readVectors } from '../../../test/vectors/read.js';
import { StatusError } from '../errors.js';
import { decodeMergePatch } from './decode.js';
import { applyMergePatch } from './mergepatch.js';

interface Vector {
  id: string;
  doc: JsonValue;
  patch: string;
  result?: JsonValue;
  warnError?: string;
  findings?: string[];
  error?: { code: number; message: string };
}

function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatusError) return [error.code, error.message];
    throw error;
  }
}

describe('vectors', () => {
  const vectors = readVectors<Vector>('mergepatch');
  test.each(vectors.map((vector) => [vector.id, vector] as const))('%s', (_, vector) => {
    const before = JSON.stringify(vector.doc);
    const actual = outcome(() => applyMergePatch(vector.doc, decodeMergePatch(vector.patch, 'Ignore').value));
    // A list becomes the document, which then decodes to no object: the server answers 422.
    if (Array.isArray(vector.result)) expect(actual).toEqual([422, expect.any(String)]);
    else if (vector.error) expect(actual).toEqual([vector.error.code, vector.error.message]);
    else expect(actual).toEqual(vector.result);
    expect(JSON.stringify(vector.doc)).toBe(before);
  });

  test.each(
    vectors
      .filter((vector) => vector.warnError ?? vector.findings)
      .map((vector) => [vector.id, vector] as const),
  )('Warn %s', (_, vector) => {
    const actual = outcome(() => decodeMergePatch(vector.patch, 'Warn').duplicates);
    if (vector.warnError) expect(actual).toEqual([400, `error decoding patch: ${vector.warnError}`]);
    else expect(actual).toEqual(vector.findings);
  });
});

test('__proto__ is an ordinary member', () => {
  const patch = JSON.parse('{"a":{"__proto__":{"x":1}},"__proto__":{"y":null}}') as JsonValue;
  expect(JSON.stringify(applyMergePatch({ a: {} }, patch))).toBe(
    '{"a":{"__proto__":{"x":1}},"__proto__":{}}',
  );
});
