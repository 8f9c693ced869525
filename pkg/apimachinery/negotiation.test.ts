import { describe, expect, test } from '@jest/globals';
import { testVectors } from '../../test/vectors/table.js';
import { StatusError } from './errors.js';
import { negotiate, type Offer } from './negotiation.js';

function errorOf(run: () => unknown): StatusError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

describe('vectors', () => testVectors('negotiation'));

test('caches the result for a header', () => {
  const offer: Offer = { types: ['json', 'yaml'], transforms: ['Table'], watch: false };
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
  expect(negotiate(accept, offer)).toBe(negotiate(accept, offer));
});

test('falls back to legacy discovery', () => {
  const offer: Offer = { types: ['json'], transforms: ['APIGroupDiscoveryList'], watch: false };
  expect(negotiate('application/json', offer)).toEqual({
    mediaType: 'json',
    contentType: 'application/json',
  });
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  expect(negotiate(`application/json,${aggregated}`, offer).contentType).toBe(aggregated);
});

test('bounds the time for a long header', () => {
  const offer: Offer = { types: ['json'], transforms: [], watch: false };
  expect(errorOf(() => negotiate('a/b;q=0.1,'.repeat(1600), offer))?.code).toBe(406);
  expect(negotiate(', ,application/json,,', offer).mediaType).toBe('json');
});
