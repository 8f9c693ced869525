/** Objects as YAML, what is changed of them, and what they wait for. */
import { describe, expect, test } from '@jest/globals';
import { connectCommands } from './clusters.js';
import { waitedFor } from './deletion.js';
import { lineDiff } from './edits/linediff.js';
import { ownedBy } from './people.js';
import { HIDDEN, mergePatch, placeOf, shownOf } from './edits/yamlobject.js';

const API = '/apis/management.svc.example/v1';

test.each([
  [`${API}/namespaces/default/sharedsecrets/a`, ['default', 'sharedsecrets', 'a']],
  [`${API}/users/system:admin`, ['', 'users', 'system:admin']],
  ['/api/v1/namespaces/default', ['', 'namespaces', 'default']],
])('%s is an object', (path, [namespace, resource, name]) => {
  expect(placeOf(path)).toMatchObject({ path, namespace, resource, name });
});

test.each([
  '',
  '/console/session',
  `${API}/users`,
  `${API}/users/..`,
  `${API}/namespaces/../users/a`,
  `${API}/users/%2e%2e`,
  `${API}/users/a?watch=1`,
  `${API}/users/a/status`,
  `https://evil.example${API}/users/a`,
  `/${API}/users/a`,
])('%s leads nowhere', (path) => {
  expect(placeOf(path)).toBeUndefined();
});

describe('YAML', () => {
  test.each([
    ['SharedSecret', { spec: { data: { a: 'djE=' }, displayName: 'A' } }],
    ['ProjectSecret', { spec: { data: { a: 'djE=' } } }],
    ['Secret', { data: { a: 'djE=' }, stringData: { b: 'djE=' } }],
  ])('of a %s has no values', (kind, more) => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":"djE="}', note: 'x' };
    const metadata = { name: 'a', annotations, managedFields: [{}] };
    const shown = shownOf({ kind, apiVersion: 'v1', metadata, ...more });
    expect(JSON.stringify(shown)).not.toContain('djE=');
    expect(JSON.stringify(shown)).toContain(HIDDEN);
    expect(shown.metadata).toMatchObject({ annotations: { note: 'x' } });
    expect(shown.metadata.managedFields).toBeUndefined();
  });

  test('what was changed is all that is sent', () => {
    const before = { spec: { data: { a: HIDDEN, b: HIDDEN }, list: [1, 2], text: 'x', gone: 1 } };
    const after = { spec: { data: { a: HIDDEN, b: 'bmV3' }, list: [1], text: 'x' } };
    expect(mergePatch(before, after)).toEqual({ spec: { data: { b: 'bmV3' }, list: [1], gone: null } });
    expect(mergePatch(before, structuredClone(before))).toBeUndefined();
    expect(mergePatch({}, JSON.parse('{"__proto__":{"a":1}}'))).toEqual(JSON.parse('{"__proto__":{"a":1}}'));
  });
});

test('lines that both have stay', () => {
  const shown = (before: string, after: string) =>
    lineDiff(before, after).map(({ sign, text }) => sign + text);
  expect(shown('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([' a', '-b', ' c', '+x', ' d']);
  expect(shown('a', 'a')).toEqual([' a']);
  expect(shown('a\na', 'a')).toEqual([' a', '-a']);
  const long = Array.from({ length: 3000 }, (_, at) => `${at}`);
  expect(lineDiff(long.join('\n'), long.map((text) => `${text}!`).join('\n'))).toHaveLength(6000);
});

test('an object waits for what it owns and for what is in its namespace', () => {
  const target = { uid: 'u', namespace: '', holds: 'loft-p-web' };
  const owner = { apiVersion: 'v1', kind: 'Team', name: 't', uid: 'u' };
  expect(waitedFor({ ownerReferences: [owner] }, target)).toBe(true);
  expect(waitedFor({ namespace: 'loft-p-web' }, target)).toBe(true);
  expect(waitedFor({ namespace: 'other', ownerReferences: [{ ...owner, uid: 'v' }] }, target)).toBe(false);
  expect(waitedFor({}, { ...target, holds: '' })).toBe(false);
});

test('what a person owns is told by the columns of tables', () => {
  const row = (name: string, cells: Record<string, string>) => ({ metadata: { name }, cells });
  const rows = [row('a', { Owner: 'ada' }), row('b', { Owner: 'bob' }), row('c', { User: 'ada', Team: '' })];
  expect(ownedBy(rows, 'ada').map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
});

test('a display name is one word of the command', () => {
  expect(connectCommands('east', "a'; rm -rf /")[1]).toContain(`--display-name 'a'\\''; rm -rf /'`);
});
