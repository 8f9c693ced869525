import { expect, test } from '@jest/globals';
import { SharedSecret as sharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import { compileSchema } from '../schema/compile.js';
import { refuseSensitiveMoves } from './sensitivemoves.js';

const schema = compileSchema(sharedSecret);
const check = (op: string, from: string, path: string) => () =>
  refuseSensitiveMoves(
    [
      { op: 'test', path: '/kind', value: 'x' },
      { op, from, path },
    ],
    schema,
  );

test.each([
  ['move', '/spec/data/a', '/spec/displayName'],
  ['copy', '/spec/data/a', '/spec/description'],
  ['copy', 'ignored/spec/data/a~1b', '/metadata/labels/x'],
  ['copy', '/spec/data', '/metadata/annotations'],
  ['copy', '/spec', '/status'],
  ['move', '', '/spec'],
  ['copy', '/metadata', '/status'],
  ['copy', '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration', '/spec/displayName'],
])('%s from %s to %s is refused', (op, from, path) => {
  expect(check(op, from, path)).toThrow(/may not move or copy .* which is or holds a secret value/);
});

test.each([
  ['move', '/spec/data/a', '/spec/data/b'],
  ['copy', '/spec/displayName', '/spec/data/b'],
  ['copy', '/spec/displayName', '/metadata/labels/x'],
  ['copy', '/metadata/labels', '/status'],
  ['replace', '/spec/data/a', '/spec/displayName'],
])('%s from %s to %s is not', (op, from, path) => expect(check(op, from, path)).not.toThrow());

test('what is no list of operations is refused elsewhere', () => {
  for (const patch of [null, 'x', {}, [1, null, { op: 'move' }, { op: 'copy', from: 1, path: '/a' }]])
    expect(() => refuseSensitiveMoves(patch, schema)).not.toThrow();
});
