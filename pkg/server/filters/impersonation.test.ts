import { describe, expect, test } from '@jest/globals';
import { StatusError } from '../../apimachinery/errors.js';
import type { User } from '../../authentication/interface.js';
import type { Attributes, Authorizer } from '../../authorization/interface.js';
import type { Exchange } from '../httpexchange.js';
import { impersonate } from './impersonation.js';

const caller: User = { name: 'alice', uid: 'u1', groups: ['staff'], extra: {} };

/** An exchange with these headers; the names may be in lower case, as with HTTP/2. */
function exchangeWith(...sent: [string, string][]): Exchange {
  const headers = Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), value]));
  return { request: { headers, rawHeaders: sent.flat() } } as unknown as Exchange;
}

/** Allows the resources in `may`, as `resource/name`, and records the requested attributes. */
function authorizerOf(...may: string[]): { authorizer: Authorizer; asked: Attributes[] } {
  const asked: Attributes[] = [];
  const authorizer: Authorizer = {
    visible: () => ({ objects: 'none' }),
    namespaces: () => [],
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
    authorize(user, attributes) {
      expect(user).toBe(caller);
      asked.push(attributes);
      const text = attributes.kind === 'resource' ? `${attributes.resource}/${attributes.name}` : '';
      return may.includes(text) || may.includes('*')
        ? { allowed: true }
        : { allowed: false, reason: 'no rule' };
    },
  };
  return { authorizer, asked };
}

const AS_BOB: [string, string] = ['Impersonate-User', 'bob'];
const as = (user: string): [string, string] => ['impersonate-user', user];

test('without headers no authorizer is called', async () => {
  const { authorizer, asked } = authorizerOf();
  expect(await impersonate(authorizer, caller, exchangeWith(['Accept', '*/*']))).toBe(caller);
  expect(asked).toEqual([]);
});

test('authorizes each impersonated attribute by itself', async () => {
  const { authorizer, asked } = authorizerOf('*');
  const user = await impersonate(
    authorizer,
    caller,
    exchangeWith(
      AS_BOB,
      ['Impersonate-Group', 'a,b'],
      ['impersonate-group', 'c'],
      ['Impersonate-Uid', '7'],
      ['Impersonate-Extra-Acme.com%2fScope', 'x'],
      ['Impersonate-Extra-Acme.com%2fScope', 'y'],
    ),
  );
  expect(user).toMatchObject({ name: 'bob', uid: '7', groups: ['a,b', 'c', 'system:authenticated'] });
  expect({ ...user.extra }).toEqual({ 'acme.com/scope': ['x', 'y'] });
  const verb = 'impersonate';
  expect(asked).toMatchObject([
    { verb, group: '', resource: 'users', name: 'bob', namespace: '' },
    { verb, group: '', resource: 'groups', name: 'a,b' },
    { verb, group: '', resource: 'groups', name: 'c' },
    {
      verb,
      group: 'authentication.k8s.io',
      resource: 'userextras',
      subresource: 'acme.com/scope',
      name: 'x',
    },
    {
      verb,
      group: 'authentication.k8s.io',
      resource: 'userextras',
      subresource: 'acme.com/scope',
      name: 'y',
    },
    { verb, group: 'authentication.k8s.io', resource: 'uids', name: '7' },
  ]);
});

describe('the impersonated user', () => {
  test.each<[string, string[], string[]]>([
    ['bob', [], ['system:authenticated']],
    ['bob', ['system:unauthenticated'], ['system:unauthenticated']],
    ['bob', ['a'], ['a', 'system:authenticated']],
    ['system:anonymous', [], ['system:unauthenticated']],
    [
      'system:serviceaccount:ns:sa',
      [],
      ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
    ],
    ['system:serviceaccount:ns:sa', ['a'], ['a', 'system:authenticated']],
    ['system:serviceaccount:NS:sa', [], ['system:authenticated']],
  ])('%s with groups %j', async (name, groups, expected) => {
    const headers = groups.map((group): [string, string] => ['Impersonate-Group', group]);
    const user = await impersonate(authorizerOf('*').authorizer, caller, exchangeWith(as(name), ...headers));
    expect(user).toEqual({ name, uid: '', groups: expected, extra: expect.anything() });
  });

  test('is authorized in its namespace if it is a service account', async () => {
    const { authorizer, asked } = authorizerOf('*');
    await impersonate(authorizer, caller, exchangeWith(as('system:serviceaccount:ns:sa')));
    expect(asked).toMatchObject([{ resource: 'serviceaccounts', namespace: 'ns', name: 'sa' }]);
  });
});

describe('impersonation is refused for', () => {
  test.each<[string, string[], [string, string][], number, string]>([
    [
      'a user',
      [],
      [AS_BOB],
      403,
      'users "bob" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope: no rule',
    ],
    [
      'a group',
      ['users/bob'],
      [AS_BOB, ['Impersonate-Group', 'system:masters']],
      403,
      'groups "system:masters" is forbidden: User "alice" cannot impersonate resource "groups" in API group "" at the cluster scope: no rule',
    ],
    [
      'an extra value',
      ['users/bob'],
      [AS_BOB, ['Impersonate-Extra-Scope', 'x']],
      403,
      'userextras.authentication.k8s.io "x" is forbidden: User "alice" cannot impersonate resource "userextras/scope" in API group "authentication.k8s.io" at the cluster scope: no rule',
    ],
    [
      'groups without a user',
      ['*'],
      [['Impersonate-Group', 'system:masters']],
      400,
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"system:masters"}, Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      'extra without a user',
      ['*'],
      [['Impersonate-Extra-__proto__', 'x']],
      400,
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"__proto__":[]string{"x"}}} without impersonating a user name',
    ],
  ])('%s', async (_name, may, headers, code, message) => {
    const { authorizer } = authorizerOf(...may);
    const attempt = impersonate(authorizer, caller, exchangeWith(...headers));
    await expect(attempt).rejects.toBeInstanceOf(StatusError);
    await expect(attempt).rejects.toMatchObject({ status: { code, message } });
  });
});
