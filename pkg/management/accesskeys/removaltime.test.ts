import { expect, test } from '@jest/globals';
import { removalOfKey } from './removaltime.js';

const CREATED = '2026-01-01T00:00:00Z';
const USED = '2026-01-01T12:00:00Z';
const HOUR = 3_600_000;
const at = (text: string, ms: number): number => Date.parse(text) + ms;

test.each([
  ['without end', {}, undefined],
  ['of ttl 0', { ttl: 0 }, undefined],
  ['of an hour', { ttl: 3600 }, at(CREATED, HOUR + 24 * HOUR)],
  [
    'that expires an hour after its use: the status may be six minutes old',
    { ttl: 3600, ttlAfterLastActivity: true },
    at(USED, HOUR + 360_000 + 30_000 + 24 * HOUR),
  ],
  [
    'that expires a day after its use: the status may be an hour old',
    { ttl: 86_400, ttlAfterLastActivity: true },
    at(USED, 24 * HOUR + HOUR + 30_000 + 24 * HOUR),
  ],
])('a key %s', (_what, spec, expected) => {
  const key = {
    kind: 'OwnedAccessKey' as const,
    apiVersion: 'management.svc.example/v1',
    metadata: { name: 'k', creationTimestamp: CREATED },
    spec,
    status: { lastActivity: USED },
  };
  expect(removalOfKey(key, 24 * HOUR)).toBe(expected);
});
