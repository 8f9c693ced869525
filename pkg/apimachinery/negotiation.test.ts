import { describe, expect, test } from '@jest/globals';
import { readVectors } from '../../test/vectors/read.js';
import { StatusError } from './errors.js';
import { chooseDiscovery, MEDIA_TYPE, negotiate, negotiateInput, wantsPretty } from './negotiation.js';
import type { Negotiated, Offer, TransformKind } from './negotiation.js';

interface Vector {
  id: string;
  kind: 'input' | 'output';
  offer: 'json-yaml' | 'json-yaml-protobuf';
  accept?: string;
  endpoint: 'resource' | 'plain' | 'discovery';
  watch: boolean;
  query?: string;
  userAgent?: string;
  contentType?: string;
  streaming?: boolean;
  chosen: string | null;
  error?: string;
  convert?: { group: string; kind: string; version: string };
  pretty?: boolean;
}

const TRANSFORMS: Record<Vector['endpoint'], readonly TransformKind[]> = {
  resource: ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'],
  plain: [],
  discovery: ['APIGroupDiscoveryList'],
};

const typesOf = (vector: Vector): Offer['types'] =>
  vector.offer === 'json-yaml' ? ['json', 'yaml'] : ['json', 'yaml', 'protobuf'];

function errorOf(run: () => unknown): StatusError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

function expectChosen(vector: Vector, chosen: Negotiated): void {
  expect(MEDIA_TYPE[chosen.mediaType]).toBe(vector.chosen);
  // The vectors tell no more of a watch than its encoding.
  if (vector.watch) return;
  const convert = vector.convert && { kind: vector.convert.kind, version: vector.convert.version };
  expect(chosen.transform).toEqual(convert);
  if (vector.pretty === undefined) return;
  const pretty = wantsPretty(vector.query, chosen.pretty, vector.userAgent) && chosen.mediaType === 'json';
  expect(pretty).toBe(vector.pretty);
}

const vectors = readVectors<Vector>('negotiation');

describe('Accept', () => {
  const output = vectors.filter((vector) => vector.kind === 'output');
  test.each(output.map((vector) => [vector.id, vector] as const))('%s', (_, vector) => {
    const offer: Offer = {
      types: typesOf(vector),
      transforms: TRANSFORMS[vector.endpoint],
      watch: vector.watch,
    };
    // The vectors show the stage that looks for aggregated discovery only.
    if (vector.endpoint === 'discovery' && vector.accept) {
      const chosen = chooseDiscovery(vector.accept, offer);
      if (vector.chosen === null) expect(chosen).toBeUndefined();
      else expectChosen(vector, chosen as Negotiated);
      return;
    }
    if (vector.chosen !== null) return expectChosen(vector, negotiate(vector.accept, offer));
    const error = errorOf(() => negotiate(vector.accept, offer));
    expect([error?.code, error?.message]).toEqual([406, vector.error]);
  });
});

describe('Content-Type', () => {
  const input = vectors.filter((vector) => vector.kind === 'input');
  test.each(input.map((vector) => [vector.id, vector] as const))('%s', (_, vector) => {
    const choose = () => negotiateInput(vector.contentType, typesOf(vector), vector.streaming);
    if (vector.chosen !== null) return expect(MEDIA_TYPE[choose()]).toBe(vector.chosen);
    const error = errorOf(choose);
    expect([error?.code, error?.message]).toEqual([415, vector.error]);
  });
});

test('a hot header is answered from memory', () => {
  const offer: Offer = { types: ['json', 'yaml'], transforms: ['Table'], watch: false };
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
  expect(negotiate(accept, offer)).toBe(negotiate(accept, offer));
});

test('discovery falls back to the plain document', () => {
  const offer: Offer = { types: ['json'], transforms: ['APIGroupDiscoveryList'], watch: false };
  expect(negotiate('application/json', offer)).toEqual({
    mediaType: 'json',
    contentType: 'application/json',
  });
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  expect(negotiate(`application/json,${aggregated}`, offer).contentType).toBe(aggregated);
});

test('a long header costs a bounded time', () => {
  const offer: Offer = { types: ['json'], transforms: [], watch: false };
  expect(errorOf(() => negotiate('a/b;q=0.1,'.repeat(1600), offer))?.code).toBe(406);
});
