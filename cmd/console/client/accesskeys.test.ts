import { expect, test } from '@jest/globals';
import { keyViewOf, searchKeys } from './accesskeys.js';

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
