import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../../api/resource.js';
import { readVectors } from '../../../test/vectors/read.js';
import { StatusError } from '../errors.js';
import { decodeBody } from './body.js';
import { strictFindings } from './findings.js';

interface Vector {
  id: string;
  in?: string;
  inBase64?: string;
  format: 'json' | 'yaml';
  kind: string;
  object?: { [member: string]: JsonValue };
  findings?: string[];
  error?: string;
  class?: string;
}

const vectors = readVectors<Vector>('strictdecode');
const bodyOf = (vector: Vector): Buffer =>
  vector.inBase64 === undefined ? Buffer.from(vector.in ?? '') : Buffer.from(vector.inBase64, 'base64');
const decode = (vector: Vector) =>
  decodeBody(bodyOf(vector), `application/${vector.format}`, true, vector.kind);

/** Texts of errors that need no schema; the others name types and are found where a body meets its kind. */
const SYNTAX = /^(couldn't get version\/kind|unexpected GroupVersion|yaml: )/;
const GO_YAML = /^yaml: |^json: unsupported value|^unsupported map key/;

describe('what cannot be read', () => {
  const failing = vectors.filter(
    ({ error }) => error !== undefined && (SYNTAX.test(error) || GO_YAML.test(error)),
  );
  test.each(failing.map((vector) => [vector.id, vector] as const))('%s', (_, vector) => {
    let caught: unknown;
    try {
      decode(vector);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(StatusError);
    const { code, message } = caught as StatusError;
    expect(code).toBe(400);
    const prefix = `the object provided is unrecognized (must be of type ${vector.kind}): `;
    // Positions of YAML errors are the library's.
    const text = GO_YAML.test(vector.error as string) ? prefix : `${prefix}${vector.error} (`;
    expect(message.slice(0, text.length)).toBe(text);
  });
});

describe('findings, with the unknown fields told', () => {
  const readable = vectors.filter(({ error }) => error === undefined);
  test.each(readable.map((vector) => [vector.id, vector] as const))('%s', (_, vector) => {
    const unknown = (vector.findings ?? [])
      .filter((finding) => finding.startsWith('unknown field'))
      .map((finding) => JSON.parse(finding.slice('unknown field '.length)) as string);
    const findings = strictFindings(bodyOf(vector), `application/${vector.format}`, decode(vector), unknown);
    expect(findings).toEqual(vector.findings ?? []);
  });
});

describe('values', () => {
  const readable = vectors.filter(({ object }) => object !== undefined);
  test.each(readable.map((vector) => [vector.id, vector] as const))('%s', (_, vector) => {
    const value = decode(vector).value as { [member: string]: JsonValue };
    const metadata = (value['metadata'] ?? {}) as { [member: string]: JsonValue };
    const expected = vector.object?.['metadata'] as { [member: string]: JsonValue };
    for (const member of ['name', 'labels', 'annotations', 'finalizers']) {
      if (expected[member] !== undefined) expect(metadata[member]).toEqual(expected[member]);
    }
  });
});
