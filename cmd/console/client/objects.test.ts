/** Objects as YAML, their changes, and what their deletions wait for. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { createSecretCommand, readEntryCommand, readSecretCommand } from './commands/actioncommands.js';
import { command } from './commands/command.js';
import { lineDiff } from './edits/linediff.js';
import { onePath } from './one.js';
import { ownedBy } from './people.js';
import { buildScope, NO_FIELDS } from './scopes/scopebuild.js';
import { connectCommands, createKeyCommand } from './commands/placecommands.js';
import { HIDDEN, mergePatch, placeOf, shownOf } from './edits/yamlobject.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

test.each([
  [`${API}/namespaces/default/sharedsecrets/a`, ['default', 'sharedsecrets', 'a']],
  [`${API}/users/system:admin`, ['', 'users', 'system:admin']],
  ['/api/v1/namespaces/default', ['', 'namespaces', 'default']],
  [`${RBAC}/clusterroles/on%20call%3F%20%C3%BC%2B1`, ['', 'clusterroles', 'on call? ü+1']],
  [`${RBAC}/clusterroles/${encodeURIComponent('"><img src=x>')}`, ['', 'clusterroles', '"><img src=x>']],
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
  `${API}/users/%252e%252e`,
  `${API}/users/a%2Fstatus`,
  `${API}/users/a%`,
  `${API}/users/%ff`,
  `${API}/users/a#b`,
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

  test('sends only the changes', () => {
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

test('finds the objects of an owner by table columns', () => {
  const row = (name: string, cells: Record<string, string>) => ({
    resource: 'r',
    metadata: { name },
    cells,
  });
  const rows = [row('a', { Owner: 'ada' }), row('b', { Owner: 'bob' }), row('c', { User: 'ada', Team: '' })];
  expect(ownedBy(rows, 'ada').map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
});

test('a path that is not escaped as the console escapes it leads to the same object', () => {
  expect(placeOf(`${RBAC}/clusterroles/on call%3ax`)).toMatchObject({
    path: `${RBAC}/clusterroles/on%20call:x`,
    name: 'on call:x',
  });
});

test('one object is selected by its name, whatever is in it', () => {
  const { searchParams } = new URL(onePath('users', '', 'a,b=c\\d'), 'https://x');
  expect(searchParams.get('fieldSelector')).toBe('metadata.name=a\\,b\\=c\\\\d');
});

test('a display name is one word of the command', () => {
  expect(connectCommands('east', "a'; rm -rf /")[1]).toContain(`--display-name 'a'\\''; rm -rf /'`);
});

describe('commands', () => {
  test.each([`\u001b]0;x\u0007'\\x41!`, '\u202elist\u202c', 'a\nb\r', '\u0085\u2028é𝄞', '\u007f'])(
    'show %j so that it can be seen, and bash reads it as it was',
    (word) => {
      const line = command('printf', '%s', word);
      expect(line).not.toMatch(/[\p{Cc}\u2028\u202a-\u202e]/u);
      expect(execFileSync('bash', ['-c', line], { encoding: 'utf8' })).toBe(word);
    },
  );

  test('with JSON need no shell that knows escapes', () => {
    const displayName = `\u202e it's \\n \u001b`;
    const line = createSecretCommand('SharedSecret', { namespace: 'n', name: 's' }, { displayName });
    expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
    const written = execFileSync('sh', ['-c', line.split(' | ')[0] ?? ''], { encoding: 'utf8' });
    expect(JSON.parse(written)).toMatchObject({ spec: { displayName } });
  });

  test('read a secret whose name has dots as one, and no entry of another', () => {
    const place = { namespace: 'default', name: 'pay.token' };
    expect(readSecretCommand(place)).toBe('platform get secret pay.token --whole --namespace default');
    expect(readEntryCommand(place, 'a.b')).toMatch(/ pay\.token --entry a\.b --output raw /);
    expect(readSecretCommand({ ...place, name: 'pay' })).toBe('platform get secret pay --namespace default');
  });

  test('never make a key with a wider scope', () => {
    const key = { name: 'k', displayName: 'CI key', ttl: 3600 };
    expect(createKeyCommand({ ...key, scope: {} }, 'ada')).toBeUndefined();
    // `platform` has no option for other rules than those that read a secret.
    expect(createKeyCommand({ ...key, scope: { rules: [{ verbs: ['get'] }] } }, 'ada')).toBeUndefined();
    const { scope } = buildScope({ ...NO_FIELDS, secrets: 'default/database' });
    expect(createKeyCommand({ ...key, scope }, 'ada')).toMatch(/ --secret default\/database$/);
    expect(createKeyCommand({ ...key, scope: undefined }, 'ada')).toBe(
      `platform create accesskey k --display-name 'CI key' --ttl 1h`,
    );
    expect(createKeyCommand({ ...key, scope: { projects: [{ project: 'web' }] } }, 'ada')).toMatch(
      / --user ada --project web$/,
    );
    const place = { project: 'web', clusterRole: 'management-project-viewer', endsWithMaker: true };
    expect(createKeyCommand({ ...key, scope: undefined, place }, 'ada')).toBe(
      `platform create accesskey k --display-name 'CI key' --project web --role viewer --ends-with-me --ttl 1h`,
    );
  });
});
