import { describe, expect, test } from '@jest/globals';
import { parseTracingConfig } from './config.js';

const HEAD = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'TracingConfiguration' };

test.each([
  [{}, { url: 'http://localhost:4318/v1/traces', ratio: 0 }],
  [
    { endpoint: 'collector:4318', samplingRatePerMillion: 100 },
    { url: 'http://collector:4318/v1/traces', ratio: 0.0001 },
  ],
  [{ endpoint: 'https://[::1]:4318/' }, { url: 'https://[::1]:4318/v1/traces', ratio: 0 }],
  [
    { endpoint: 'https://collector/otlp/v1/traces', samplingRatePerMillion: 1_000_000 },
    { url: 'https://collector/otlp/v1/traces', ratio: 1 },
  ],
])('reads %j', (members, config) => {
  expect(parseTracingConfig({ ...HEAD, ...members })).toEqual(config);
});

describe('refuses an invalid variable by name', () => {
  test.each([
    ['no object', null, 'it is no TracingConfiguration'],
    ['another version', { ...HEAD, apiVersion: 'v1' }, 'apiVersion: apiserver.config.k8s.io/v1'],
    ['another kind', { ...HEAD, kind: 'Policy' }, 'kind: TracingConfiguration'],
    ['an unknown field', { ...HEAD, samplingRate: 1 }, 'unknown field "samplingRate"'],
    ['too high a rate', { ...HEAD, samplingRatePerMillion: 1_000_001 }, 'samplingRatePerMillion'],
    ['half a rate', { ...HEAD, samplingRatePerMillion: 0.5 }, 'samplingRatePerMillion'],
    ['another protocol', { ...HEAD, endpoint: 'grpc://collector:4317' }, 'endpoint'],
    ['a password', { ...HEAD, endpoint: 'http://user:secret@collector:4318' }, 'endpoint'],
    ['a query', { ...HEAD, endpoint: 'http://collector:4318?key=secret' }, 'endpoint'],
    ['no text', { ...HEAD, endpoint: 4318 }, 'endpoint'],
    ['no host', { ...HEAD, endpoint: '' }, 'endpoint'],
  ])('%s', (_what, document, message) => {
    expect(() => parseTracingConfig(document)).toThrow(message);
  });
});
