import { expect, test } from '@jest/globals';
import type { PolicyRule } from '../../registry/rbac/rules.js';
import { describeRules, uncovered } from './covers.js';

const on = (verbs: string, resources: string, names = '', groups = ''): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: groups.split(','),
  resources: resources.split(','),
  ...(names !== '' && { resourceNames: names.split(',') }),
});
const at = (verbs: string, urls: string): PolicyRule => ({
  verbs: verbs.split(','),
  nonResourceURLs: urls.split(','),
});

test.each<[string, PolicyRule[], PolicyRule[], string[]]>([
  ['the same', [on('get', 'pods')], [on('get', 'pods')], []],
  [
    'nothing held',
    [],
    [on('get,list', 'secrets')],
    ['{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}'],
  ],
  [
    'one verb missing',
    [on('get', 'secrets')],
    [on('get,list', 'secrets')],
    ['{APIGroups:[""], Resources:["secrets"], Verbs:["list"]}'],
  ],
  ['two rules cover one together', [on('get', 'a,b'), on('list', 'a,b')], [on('get,list', 'a,b')], []],
  ['stars', [on('*', '*', '', '*')], [on('get', 'a/b', 'n', 'g.example')], []],
  [
    'a star is asked for',
    [on('get', 'a')],
    [on('*', 'a')],
    ['{APIGroups:[""], Resources:["a"], Verbs:["*"]}'],
  ],
  ['a star over subresources', [on('get', '*/scale')], [on('get', 'a/scale')], []],
  [
    'and not over the resource',
    [on('get', '*/scale')],
    [on('get', 'a')],
    ['{APIGroups:[""], Resources:["a"], Verbs:["get"]}'],
  ],
  ['names within all', [on('get', 'a')], [on('get', 'a', 'n')], []],
  ['names within names', [on('get', 'a', 'n,m')], [on('get', 'a', 'n')], []],
  [
    'all of names',
    [on('get', 'a', 'n')],
    [on('get', 'a')],
    ['{APIGroups:[""], Resources:["a"], Verbs:["get"]}'],
  ],
  [
    'other names',
    [on('get', 'a', 'n')],
    [on('get', 'a', 'n,m')],
    ['{APIGroups:[""], Resources:["a"], ResourceNames:["m"], Verbs:["get"]}'],
  ],
  ['paths under a star', [at('get', '/a/*')], [at('get', '/a/b,/a/*')], []],
  ['other paths', [at('get', '/a')], [at('get', '/b')], ['{NonResourceURLs:["/b"], Verbs:["get"]}']],
  [
    'resources do not cover paths',
    [on('*', '*', '', '*')],
    [at('get', '/')],
    ['{NonResourceURLs:["/"], Verbs:["get"]}'],
  ],
])('%s', async (_name, held, wanted, missing) => {
  expect(describeRules(await uncovered(held, wanted))).toEqual(missing);
});

test('reports a rule with too many parts as one missing rule, unless one rule covers it', async () => {
  const many = Array.from({ length: 400 }, (_, at) => `r${at}`).join(',');
  const wanted = [on(many, many)];
  expect(await uncovered([on('get', 'a')], wanted)).toEqual(wanted);
  expect(await uncovered([on('*', '*')], wanted)).toEqual([]);
});

test('lists the first hundred missing rights', async () => {
  const many = Array.from({ length: 90 }, (_, at) => `r${at}`).join(',');
  expect(await uncovered([on('get', 'a')], [on(many, many)])).toHaveLength(100);
});
