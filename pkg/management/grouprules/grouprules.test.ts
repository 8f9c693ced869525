import { describe, expect, test } from '@jest/globals';
import type { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { USER_LIMITS } from '../limitedkinds.js';
import { judgedClaims, MAX_VALUES } from './claims.js';
import { isOpen, meaningOf, openUntil } from './login.js';
import { currentLogin } from './loginstatus.js';
import { RuleSet, ruleGroup, rulesIn } from './ruleset.js';
import { groupRuleStrategy } from './strategy.js';

const API_VERSION = 'management.svc.example/v1';
const NOW = Date.parse('2026-01-01T00:00:00Z');

const uidOf = (name: string): string => `${name}-0000-uid`;
function rule(name: string, spec: Partial<GroupRule['spec']>, uid = uidOf(name)): GroupRule {
  const { team, project } = spec;
  const kind = team === undefined ? 'Project' : 'Team';
  const owner = { apiVersion: API_VERSION, kind, name: team ?? project ?? '', uid: `of-${team ?? project}` };
  return {
    kind: 'GroupRule',
    apiVersion: API_VERSION,
    metadata: { name, uid, ownerReferences: [owner] },
    spec: { values: ['devs'], ...spec },
  };
}
const names = (
  rules: readonly GroupRule[],
  claims: Record<string, string[]>,
  issuer = 'https://a',
): string[] =>
  new RuleSet(rules)
    .given({ issuer, claims: Object.entries(claims).map(([name, values]) => ({ name, values })) })
    .map((given) => given.rule);

describe('claims', () => {
  test.each<[string, unknown, string, string[]]>([
    ['a list', { groups: ['a', 'b', 'a'] }, 'groups', ['a', 'b']],
    ['a text', { groups: 'a' }, 'groups', ['a']],
    ['a number', { level: 3 }, 'level', ['3']],
    ['a boolean', { email_verified: true }, 'email_verified', ['true']],
    ['other things in a list', { groups: ['a', 1, null, {}, ['b'], ''] }, 'groups', ['a']],
    ['an object', { groups: { a: true } }, 'groups', []],
    ['nothing', { groups: null }, 'groups', []],
    ['a nested member', { realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
    ['a name with dots before a path', { 'a.b': ['x'], a: { b: ['y'] } }, 'a.b', ['x']],
    ['a URL', { 'https://x.example/groups': ['a'] }, 'https://x.example/groups', ['a']],
    ['a member of a list', { a: [{ b: 'x' }] }, 'a.0.b', []],
    ['a prototype', {}, '__proto__.constructor.name', []],
    ['a constructor', {}, 'constructor', []],
    ['a path that is too deep', { a: { b: { c: { d: { e: { f: 'x' } } } } } }, 'a.b.c.d.e.f', []],
    ['a value that is too long', { groups: ['x'.repeat(257), 'a'] }, 'groups', ['a']],
  ])('of %s', (_what, claims, name, values) => {
    const judged = judgedClaims(claims as Record<string, unknown>, [name]);
    expect(judged).toEqual({ claims: values.length === 0 ? [] : [{ name, values }], notes: [] });
  });

  test('own members of any name count', () => {
    const claims = JSON.parse('{"__proto__": ["devs"]}') as Record<string, unknown>;
    expect(judgedClaims(claims, ['__proto__']).claims).toEqual([{ name: '__proto__', values: ['devs'] }]);
  });

  test('a list that is too long is left out as a whole, with a note', () => {
    const many = Array.from({ length: MAX_VALUES + 1 }, (_, at) => `g${at}`);
    expect(judgedClaims({ groups: many }, ['groups'])).toMatchObject({
      claims: [],
      notes: [expect.stringContaining('it has 1001 values, and at most 1000 are judged')],
    });
    const long = Array.from({ length: 300 }, (_, at) => String(at).padEnd(250, 'x'));
    expect(judgedClaims({ groups: long, level: 1 }, ['groups', 'level'])).toMatchObject({
      claims: [{ name: 'level' }],
      notes: [expect.stringContaining('longer than 65536 characters')],
    });
  });

  test.each<[string, object]>([
    [
      '_claim_names',
      { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://x' } } },
    ],
    ['hasgroups', { hasgroups: true }],
  ])('an overage of groups is noted: %s', (_what, claims) => {
    expect(judgedClaims({ ...claims }, ['groups']).notes).toEqual([
      expect.stringContaining('the provider sends no list, as it would be too long'),
    ]);
  });
});

describe('rules', () => {
  test.each<[string, string[], string, boolean]>([
    ['the exact value', ['devs'], 'devs', true],
    ['another case', ['devs'], 'Devs', false],
    ['a longer value', ['devs'], 'devs2', false],
    ['a beginning', ['acme-*'], 'acme-web', true],
    ['a beginning itself', ['acme-*'], 'acme-', true],
    ['less than a beginning', ['acme-*'], 'acme', false],
    ['the text of a pattern', ['acme-*'], 'acme-*', true],
    ['a value that looks like a pattern', ['acme-web'], 'acme-*', false],
    ['any value', ['*'], 'x', true],
    ['an expression', ['.*'], 'devs', false],
    ['one of several', ['a', 'b', 'c*'], 'cc', true],
  ])('match %s', (_what, values, value, matches) => {
    expect(names([rule('r', { team: 'ops', values })], { groups: [value] })).toEqual(matches ? ['r'] : []);
  });

  test('count for their issuer and claim alone', () => {
    const rules = [
      rule('a', { team: 'ops', issuer: 'https://a/' }),
      rule('b', { team: 'ops', issuer: 'https://b' }),
      rule('any', { team: 'ops' }),
      rule('role', { team: 'ops', claim: 'roles' }),
    ];
    expect(names(rules, { groups: ['devs'] })).toEqual(['a', 'any']);
    expect(names(rules, { groups: ['devs'] }, 'https://b')).toEqual(['any', 'b']);
    expect(names(rules, { roles: ['devs'] })).toEqual(['role']);
  });

  test('give nothing while they are deleted, or without a team or project', () => {
    const deleted = rule('d', { team: 'ops' });
    deleted.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    const loose = rule('l', { team: 'ops' });
    delete loose.metadata.ownerReferences;
    expect(names([deleted, loose], { groups: ['devs'] })).toEqual([]);
  });

  test('with a project put people into a group that a later rule of the name does not have', () => {
    const web = { project: 'web', clusterRole: 'view' };
    const one = rule('r', web, '11111111-a');
    expect(new RuleSet([one]).given({ issuer: '', claims: [{ name: 'groups', values: ['devs'] }] })).toEqual([
      { rule: 'r', uid: 'of-web', ...web, group: 'management:grouprule:r:11111111' },
    ]);
    expect(ruleGroup(rule('r', web, '22222222-b'))).not.toBe(ruleGroup(one));
    expect(rulesIn(['devs', ruleGroup(one)])).toEqual(['r']);
  });
});

describe('the strategy', () => {
  test.each<[Partial<GroupRule['spec']>, string[]]>([
    [{ team: 'ops' }, []],
    [{ project: 'web', clusterRole: 'view' }, []],
    [{}, ['spec.team']],
    [{ project: 'web' }, ['spec.clusterRole']],
    [{ team: 'ops', project: 'web' }, ['spec.project']],
    [{ team: 'ops', clusterRole: 'view' }, ['spec.clusterRole']],
    [
      { team: 'ops', values: ['a*b', '*a', '**', 'a*'] },
      ['spec.values[0]', 'spec.values[1]', 'spec.values[2]'],
    ],
  ])('judges %j', (spec, paths) => {
    expect(groupRuleStrategy.validate?.(rule('r', spec)).map(({ path }) => path)).toEqual(paths);
  });

  test('a target cannot be changed', () => {
    const [one, other] = [rule('r', { team: 'ops' }), rule('r', { team: 'dev', values: ['x'] })];
    expect(groupRuleStrategy.validateUpdate?.(other, one).map(({ path }) => path)).toEqual(['spec.team']);
  });
});

describe('a login', () => {
  const login = {
    issuer: 'https://a',
    claims: [{ name: 'groups', values: ['devs'] }],
    time: '2025-12-31T23:00:00Z',
    expires: '2026-01-01T01:00:00Z',
  };
  const rules = new RuleSet([rule('a', { team: 'ops' }), rule('b', { project: 'web', clusterRole: 'view' })]);

  test('counts until it expires or has ended', () => {
    const end = Date.parse(login.expires);
    expect([isOpen(login, NOW), isOpen(login, end), isOpen({ ...login, ended: true }, NOW)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([openUntil(login, NOW), openUntil(login, end), openUntil(undefined, NOW)]).toEqual([
      end,
      Infinity,
      Infinity,
    ]);
    expect(isOpen({ ...login, expires: 'never' }, NOW)).toBe(false);
  });

  test('says which rules apply, and nothing once no key is left', () => {
    expect(currentLogin(login, { rules, hasKey: true, now: NOW })).toEqual({
      ...login,
      rules: ['a', 'b'],
      teams: ['ops'],
    });
    const shown = { ...login, rules: ['a'], teams: ['ops'] };
    expect(currentLogin(shown, { rules, hasKey: false, now: NOW })).toEqual({ ...login, ended: true });
    expect(meaningOf({ ...login, ended: true })).toEqual({});
    expect(meaningOf({ ...login, time: 'later' })).toEqual(meaningOf(login));
  });
});

test('there are at most 1000 rules, whoever makes them', () => {
  const limit = USER_LIMITS.find(({ definition }) => definition.kind === 'GroupRule');
  expect(limit).toMatchObject({ exempts: false, maxBytes: 65_536 });
  const [one, other] = [rule('a', { team: 'ops' }), rule('b', { project: 'web', clusterRole: 'view' })];
  expect(limit?.count(one)).toMatchObject({ counters: [{ id: 'grouprules', limit: 1000 }] });
  expect(limit?.count(other)).toEqual(limit?.count(one));
});
