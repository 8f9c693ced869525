import { describe, expect, test } from '@jest/globals';
import { parsePolicy } from './parsepolicy.js';
import { DEFAULT_POLICY, evaluatePolicyRule, type AuditAttributes, type PolicyRule } from './policy.js';

const user = { name: 'jane', groups: ['dev', 'system:authenticated'] };

/** `verb resource[/subresource][.group] namespace/name`, or `verb /path`. */
function request(text: string): AuditAttributes {
  const [verb = '', what = '', where = '/'] = text.split(' ');
  if (what.startsWith('/')) return { user, verb, path: what, object: undefined };
  const [full = '', ...group] = what.split('.');
  const [resource = '', subresource = ''] = full.split('/');
  const [namespace = '', name = ''] = where.split('/');
  const object = { apiGroup: group.join('.'), resource, subresource, namespace, name };
  return { user, verb, path: '/api', object };
}

test.each<[string, Omit<PolicyRule, 'level'>, string, boolean]>([
  ['a rule without conditions', {}, 'get pods a/b', true],
  ['a rule without conditions, of a path', {}, 'get /metrics', true],
  ['users', { users: ['jane'] }, 'get pods a/b', true],
  ['other users', { users: ['joe'] }, 'get pods a/b', false],
  ['groups', { userGroups: ['ops', 'dev'] }, 'get pods a/b', true],
  ['other groups', { userGroups: ['ops'] }, 'get pods a/b', false],
  ['verbs', { verbs: ['get', 'list'] }, 'list pods a/', true],
  ['other verbs', { verbs: ['get'] }, 'list pods a/', false],
  ['namespaces', { namespaces: ['a'] }, 'get pods a/b', true],
  ['no namespace', { namespaces: [''] }, 'get nodes /b', true],
  ['namespaces are not about paths', { namespaces: [''] }, 'get /metrics', false],
  ['a resource', { resources: [{ resources: ['pods'] }] }, 'get pods a/b', true],
  ['not its subresources', { resources: [{ resources: ['pods'] }] }, 'get pods/log a/b', false],
  ['all its subresources', { resources: [{ resources: ['pods/*'] }] }, 'get pods/log a/b', true],
  ['a subresource of all', { resources: [{ resources: ['*/log'] }] }, 'get pods/log a/b', true],
  ['all of a group', { resources: [{ group: 'g.example' }] }, 'get things.g.example a/b', true],
  ['not of another group', { resources: [{ group: 'g.example' }] }, 'get pods a/b', false],
  ['names', { resources: [{ resources: ['pods'], resourceNames: ['b'] }] }, 'get pods a/b', true],
  ['other names', { resources: [{ resources: ['pods'], resourceNames: ['c'] }] }, 'get pods a/b', false],
  ['a path', { nonResourceURLs: ['/logs*', '/metrics'] }, 'get /logs/a', true],
  ['another path', { nonResourceURLs: ['/logs*'] }, 'get /metrics', false],
  ['paths are not about resources', { nonResourceURLs: ['*'] }, 'get pods a/b', false],
])('%s', (_name, conditions, text, fits) => {
  const policy = { rules: [{ level: 'Request' as const, ...conditions }] };
  expect(evaluatePolicyRule(policy, request(text)).level).toBe(fits ? 'Request' : 'None');
});

test('uses the first matching rule, and omits the stages of the rule and the policy', () => {
  const policy = parsePolicy({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [
      { level: 'None', verbs: ['watch'] },
      { level: 'Metadata', omitStages: ['ResponseStarted'] },
      { level: 'Request' },
    ],
  });
  expect(evaluatePolicyRule(policy, request('watch pods a/')).level).toBe('None');
  expect(evaluatePolicyRule(policy, request('get pods a/b'))).toEqual({
    level: 'Metadata',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    omitManagedFields: false,
  });
});

test('without a policy records the metadata of all requests but probes and discovery, also for anonymous users', () => {
  expect(evaluatePolicyRule(DEFAULT_POLICY, request('get secrets a/b')).level).toBe('Metadata');
  expect(evaluatePolicyRule(DEFAULT_POLICY, { ...request('get pods a/b'), user: undefined }).level).toBe(
    'Metadata',
  );
  expect(evaluatePolicyRule(DEFAULT_POLICY, request('get /debug')).level).toBe('Metadata');
  expect(evaluatePolicyRule(DEFAULT_POLICY, request('get /readyz/ping')).level).toBe('None');
  expect(evaluatePolicyRule(DEFAULT_POLICY, request('get /apis/apps')).level).toBe('None');
});

describe('refuses a policy with', () => {
  const head = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy' };
  test.each<[string, unknown, string]>([
    ['nothing', null, 'the policy: it must be an object'],
    [
      'another version',
      { ...head, apiVersion: 'audit.k8s.io/v1beta1' },
      'it must have apiVersion audit.k8s.io/v1 and kind Policy',
    ],
    ['no rules', head, 'rules: a policy without rules records nothing'],
    ['an unknown member', { ...head, rule: [] }, 'the policy: unknown member rule'],
    [
      'a flag that is text',
      { ...head, omitManagedFields: 'yes', rules: [{ level: 'None' }] },
      'omitManagedFields: it must be true or false',
    ],
    [
      'a bad level',
      { ...head, rules: [{ level: 'All' }] },
      'rules[0].level: it must be one of None, Metadata, Request, RequestResponse',
    ],
    [
      'a misspelt condition',
      { ...head, rules: [{ level: 'None', user: ['x'] }] },
      'rules[0]: unknown member user',
    ],
    [
      'a text for a list',
      { ...head, rules: [{ level: 'None', verbs: 'get' }] },
      'rules[0].verbs: it must be a list',
    ],
    [
      'a bad stage',
      { ...head, omitStages: ['x'], rules: [{ level: 'None' }] },
      'omitStages: it must be one of RequestReceived, ResponseStarted, ResponseComplete, Panic',
    ],
    [
      'a bad group',
      { ...head, rules: [{ level: 'None', resources: [{ group: 1 }] }] },
      'rules[0].resources[0].group: it must be text',
    ],
    [
      'resources and paths at once',
      { ...head, rules: [{ level: 'None', namespaces: ['a'], nonResourceURLs: ['/'] }] },
      'rules[0]: a rule is about resources or about nonResourceURLs',
    ],
  ])('%s', (_name, document, text) => {
    expect(() => parsePolicy(document)).toThrow(new Error(text));
  });
});
