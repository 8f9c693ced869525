import { expect, test } from '@jest/globals';
import { targetOf, uidOf } from './target.js';

const object = (metadata: object) => ({ kind: 'Secret', apiVersion: 'v1', metadata });

test('sends a write with the uid of the object that was read', () => {
  const named = object({ name: 'a', namespace: 'n', uid: '1' });
  expect(targetOf(named)).toEqual({ namespace: 'n', name: 'a', uid: '1' });
  expect(targetOf(named, 'status')).toEqual({ namespace: 'n', name: 'a', uid: '1', subresource: 'status' });
  expect(targetOf(object({ name: 'a', uid: '1' }))).toEqual({ namespace: '', name: 'a', uid: '1' });
});

test.each([
  [{ namespace: 'n', name: 'a' }, 'the object n/a has no uid'],
  [{ name: 'a', uid: '' }, 'the object a has no uid'],
])('refuses an object without a uid: %j', (metadata, message) => {
  expect(() => uidOf(object(metadata))).toThrow(message);
  expect(() => targetOf(object(metadata))).toThrow(message);
});
