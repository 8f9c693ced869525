/** Compares pruning with the findings of Go's strict decoder in the same documents. */
import { describe, expect, test } from '@jest/globals';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import type { KubeObject } from '../../../api/resource.js';
import { readVectors } from '../../../test/vectors/read.js';
import { quote } from '../errors.js';
import { compileSchema } from './compile.js';

interface Vector {
  id: string;
  kind: string;
  format: string;
  in?: string;
  object?: unknown;
  findings?: string[];
  error?: unknown;
}

/** The maximum number of findings of Go's decoder. */
const MAX_FINDINGS = 100;

const schema = compileSchema(SharedSecret);
const cases = readVectors<Vector>('strictdecode').filter(
  (vector) =>
    vector.kind === 'SharedSecret' &&
    vector.format === 'json' &&
    vector.in !== undefined &&
    vector.object !== undefined &&
    vector.error === undefined &&
    // The first of two members with the same name is lost in parsing, with everything in it.
    !vector.findings?.some((finding) => finding.startsWith('duplicate field ')),
);

describe('findings', () => {
  test.each(cases.map((vector) => [vector.id, vector] as const))('%s', (_id, vector) => {
    const object = (JSON.parse(vector.in as string) ?? {}) as KubeObject;
    expect(schema.typeMismatch(object)).toBeUndefined();
    const found = schema.prune(object).map((path) => `unknown field ${quote(path)}`);
    expect(new Set(found.slice(0, MAX_FINDINGS))).toEqual(new Set(vector.findings ?? []));
  });
});
