import { expect, test } from '@jest/globals';
import { keysIn, keyViewOf, searchKeys, type KeyFilter } from './accesskeys.js';

test('keys are found by their names and owner, the newest first', () => {
  const key = (name: string, user: string, created: string, displayName = '') =>
    keyViewOf({
      apiVersion: 'management.svc.example/v1',
      kind: 'OwnedAccessKey',
      metadata: { name, creationTimestamp: created },
      spec: { user, displayName },
    });
  const keys = [key('a', 'ada', '1'), key('b', 'bob', '3', 'For CI'), key('c', 'ada', '2')];
  const found = (text: string): unknown[] => searchKeys(keys, text).map(({ metadata }) => metadata.name);
  expect(found('')).toEqual(['b', 'c', 'a']);
  expect(found('ADA')).toEqual(['c', 'a']);
  expect(found('ci bob')).toEqual(['b']);
  expect(found('ci ada')).toEqual([]);
});

test.each<[KeyFilter, string[]]>([
  ['keys', ['ci', 'old', 'off']],
  ['logins', ['now']],
  ['enabled', ['ci', 'now']],
  ['expired', ['old', 'past']],
  ['disabled', ['off']],
])('of all keys, %s are %j', (filter, names) => {
  const key = (name: string, spec: object) =>
    keyViewOf({
      apiVersion: 'management.svc.example/v1',
      kind: 'OwnedAccessKey',
      metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec,
    });
  const keys = [
    key('ci', {}),
    key('old', { ttl: 60 }),
    key('off', { disabled: true }),
    key('now', { type: 'Login', ttl: 7200 }),
    key('past', { type: 'Login', ttl: 60 }),
  ];
  const now = Date.parse('2026-01-01T01:00:00Z');
  expect(keysIn(keys, filter, now).map(({ metadata }) => metadata.name)).toEqual(names);
});
