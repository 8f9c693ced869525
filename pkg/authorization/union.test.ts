import { expect, test } from '@jest/globals';
import type { Attributes, Authorizer, Decision, Visible } from './interface.js';
import { unionAuthorizer } from './union.js';

const user = { name: 'u', uid: '', groups: [], extra: {} };
const attributes: Attributes = { kind: 'path', verb: 'get', path: '/' };
const secrets = { verb: 'list', group: '', resource: 'secrets', subresource: '', namespace: 'n' };
const NOTHING: Visible = { objects: 'none' };

/** An authorizer with these results; `later`: it is asynchronous. */
function one(decision: Decision, visible = NOTHING, rules: string[] = [], later = false): Authorizer {
  return {
    authorize: () => (later ? Promise.resolve(decision) : decision),
    visible: () => visible,
    namespaces: () => [],
    rulesFor: () => ({
      resourceRules: rules.map((resource) => {
        return { verbs: ['*'], apiGroups: [''], resources: [resource], resourceNames: [] };
      }),
      nonResourceRules: [],
      incomplete: rules.length > 1,
    }),
  };
}

const yes: Decision = { allowed: true, reason: 'because' };
const no = (reason: string): Decision => ({ allowed: false, reason });
const names = (...all: string[]): Visible => ({ objects: 'names', names: new Set(all) });

test.each<[string, Authorizer[], Decision]>([
  ['no authorizer', [], no('')],
  ['one allows', [one(no('a')), one(yes), one(no('b'))], yes],
  ['all refuse', [one(no('a')), one(no('')), one(no('b'))], no('a\nb')],
  ['one takes its time', [one(no('a'), NOTHING, [], true), one(yes)], yes],
  ['the last takes its time', [one(no('a')), one(no('b'), NOTHING, [], true)], no('a\nb')],
])('authorize: %s', async (_name, authorizers, expected) => {
  expect(await unionAuthorizer(authorizers).authorize(user, attributes)).toEqual(expected);
});

test('is synchronous if all authorizers are', () => {
  expect(unionAuthorizer([one(no('a')), one(yes)]).authorize(user, attributes)).toEqual(yes);
});

test.each<[string, Visible[], Visible]>([
  ['names add up', [names('a'), NOTHING, names('b', 'a')], names('a', 'b')],
  ['all is more than names', [names('a'), { objects: 'all' }, NOTHING], { objects: 'all' }],
  ['none and none', [NOTHING, NOTHING], NOTHING],
])('visible: %s', (_name, parts, expected) => {
  const union = unionAuthorizer(parts.map((visible) => one(no(''), visible)));
  expect(union.visible(user, secrets)).toEqual(expected);
});

test('rules add up', async () => {
  const union = unionAuthorizer([one(no(''), NOTHING, ['a']), one(no(''), NOTHING, ['b', 'c'])]);
  const { resourceRules, incomplete } = await union.rulesFor(user, 'n');
  expect(resourceRules.flatMap(({ resources }) => resources)).toEqual(['a', 'b', 'c']);
  expect(incomplete).toBe(true);
});
