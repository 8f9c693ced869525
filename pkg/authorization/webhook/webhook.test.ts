import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { isIgnoredRole, PROXY_GRANT } from '../../management/sharing/managednames.js';
import { StatusError } from '../../apimachinery/errors.js';
import type { User } from '../../authentication/interface.js';
import {
  HostUnreachable,
  type HostAnswer,
  type HostClient,
  type HostRequest,
} from '../../hostclient/interface.js';
import { reviewCounts } from '../../hostclient/reviewcounts.js';
import { alwaysAllowedPaths } from '../alwaysallowed.js';
import type { Attributes, Authorizer, Decision, ResourceAttributes } from '../interface.js';
import { rbacAuthorizer } from '../rbac/authorizer.js';
import { rbacCaches } from '../rbac/caches.js';
import { openRbacWorld, type RbacWorld } from '../rbac/testing/rbacworld.js';
import { subjectAccessAuthorizer } from './authorizer.js';

const EVE: User = { name: 'eve', uid: 'u1', groups: ['dev'], extra: { scopes: ['a'] } };
const GET: Attributes = {
  kind: 'resource',
  verb: 'get',
  group: 'management.svc.example',
  version: 'v1',
  resource: 'sharedsecrets',
  subresource: '',
  namespace: 'a',
  name: 'one',
};
const review = (status: object): HostAnswer => ({ status: 201, body: { status }, retryAfterMs: undefined });
const ALLOWED = review({ allowed: true, reason: 'because' });
const DENIED = review({ allowed: false, reason: 'no role' });

let world: RbacWorld;
let asked: HostRequest[];
let answer: (times: number) => HostAnswer | Error;
let failures: unknown[];
let now = 0;
let followed = true;
let ttl = 1000;
let authorizer: Authorizer;

beforeAll(async () => {
  world = await openRbacWorld();
  await world.create('Namespace', '', 'a');
});
afterAll(() => world.close());
beforeEach(async () => {
  asked = [];
  failures = [];
  followed = true;
  ttl = 1000;
  answer = () => ALLOWED;
  const send: HostClient['send'] = (request) => {
    asked.push(request);
    const given = answer(asked.length);
    return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
  };
  const caches = rbacCaches(world.registry.cache, isIgnoredRole);
  authorizer = subjectAccessAuthorizer({
    host: { send },
    counts: reviewCounts(),
    caches,
    forwarded: { group: 'management.svc.example', role: PROXY_GRANT },
    rbac: rbacAuthorizer(caches),
    now: () => now,
    followed: () => followed,
    get cacheTtlMs() {
      return ttl;
    },
    failed: (error) => failures.push(error),
  });
  // The change that it begins with is over.
  await authorizer.authorize(EVE, { kind: 'path', verb: 'get', path: '/' });
  now += 60_000;
  asked = [];
});

const ask = (attributes: Attributes = GET, user = EVE): Promise<Decision> =>
  Promise.resolve(authorizer.authorize(user, attributes));
const specs = (): unknown[] => asked.map(({ body }) => (body as { spec: unknown }).spec);

test('sends all attributes to the host', async () => {
  expect(await ask()).toEqual({ allowed: true, reason: 'because' });
  const {
    kind: _kind,
    subresource: _subresource,
    name: _name,
    ...resourceAttributes
  } = GET as ResourceAttributes;
  expect(asked).toMatchObject([
    { method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews', repeatable: true },
  ]);
  const extra = { scopes: ['a'] };
  expect(specs()).toEqual([{ user: 'eve', uid: 'u1', groups: ['dev'], extra, resourceAttributes }]);
});

test('asks with selectors if the request is denied without them', async () => {
  answer = (times) => (times === 1 ? DENIED : ALLOWED);
  const labelSelector = { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] };
  await ask({ ...GET, verb: 'list', name: '', labelSelector } as Attributes);
  await ask({ ...GET, verb: 'list', name: '' } as Attributes);
  expect(specs()).toMatchObject([{ resourceAttributes: {} }, { resourceAttributes: { labelSelector } }]);
});

test('sends paths as nonResourceAttributes', async () => {
  await ask({ kind: 'path', verb: 'get', path: '/metrics' });
  expect(specs()).toMatchObject([{ nonResourceAttributes: { path: '/metrics', verb: 'get' } }]);
});

test.each<[string, HostAnswer, Decision]>([
  ['allowed', ALLOWED, { allowed: true, reason: 'because' }],
  ['denied', DENIED, { allowed: false, reason: 'no role' }],
  ['denied by word', review({ allowed: false, denied: true }), { allowed: false, reason: '' }],
  ['not spoken of', review({}), { allowed: false, reason: '' }],
  ['not surely allowed', review({ allowed: 'true' }), { allowed: false, reason: '' }],
])(
  'caches for its time, and answers without waiting, a decision that is %s',
  async (_name, given, decision) => {
    answer = () => given;
    expect(await ask()).toMatchObject(decision);
    now += ttl - 1;
    expect(authorizer.authorize(EVE, GET)).toMatchObject(decision);
    expect(asked).toHaveLength(1);
    now += 1;
    await ask();
    expect(asked).toHaveLength(2);
  },
);

test('caches decisions by user and attributes, and shares concurrent reviews', async () => {
  await Promise.all([ask(), ask(), ask()]);
  expect(asked).toHaveLength(1);
  await ask(GET, { ...EVE, groups: [] });
  await ask(GET, { ...EVE, extra: {} });
  await ask({ ...GET, namespace: 'b' } as Attributes);
  expect(asked).toHaveLength(4);
});

test('does not cache decisions on very long attributes', async () => {
  const long = { ...GET, namespace: 'x'.repeat(20_000), name: '' } as Attributes;
  await ask(long);
  await ask(long);
  expect(asked).toHaveLength(2);
});

test.each([
  ['allows', ALLOWED],
  ['denies', DENIED],
])('sends one review for all names if the host %s all objects', async (_name, given) => {
  answer = () => given;
  for (let at = 0; at < 50; at += 1) await ask({ ...GET, name: `n${at}` } as Attributes);
  expect(specs()).toEqual([
    expect.objectContaining({ resourceAttributes: expect.not.objectContaining({ name: expect.anything() }) }),
  ]);
});

describe('with the role that lets everybody ask', () => {
  const WITH: User = { ...EVE, groups: ['dev', 'system:authenticated'] };
  const everyone = async (binding: string, role: string): Promise<void> =>
    world.create('ClusterRoleBinding', '', binding, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'Group', name: 'system:authenticated', apiGroup: 'rbac.authorization.k8s.io' }],
    });
  const rules = [{ apiGroups: ['management.svc.example'], resources: ['*'], verbs: ['*'] }];
  beforeEach(async () => {
    answer = () => DENIED;
    await world.create('ClusterRole', '', PROXY_GRANT, { rules });
    await everyone(PROXY_GRANT, PROXY_GRANT);
    now += 60_000;
  });
  afterEach(async () => {
    await world.remove('ClusterRoleBinding', '', PROXY_GRANT);
    await world.remove('ClusterRole', '', PROXY_GRANT);
  });

  test('reviews leave out the group system:authenticated, which grants no visibility', async () => {
    expect(await ask(GET, WITH)).toMatchObject({ allowed: false });
    expect(specs()).toMatchObject([{ user: 'eve', groups: ['dev'] }]);
    expect(authorizer.visible(WITH, { ...GET, verb: 'list' } as ResourceAttributes)).toEqual({
      objects: 'none',
    });
    expect((await authorizer.rulesFor(WITH, 'a')).resourceRules).toEqual([]);
  });

  test('reviews have no groups for a user of that group alone', async () => {
    await ask(GET, { ...EVE, groups: ['system:authenticated'] });
    expect(specs()[0]).not.toHaveProperty('groups');
  });

  test.each([
    ['another group', { ...(GET as ResourceAttributes), group: '', resource: 'secrets' }],
    ['a path', { kind: 'path', verb: 'get', path: '/metrics' } as const],
  ])('reviews of %s are unchanged', async (_name, attributes) => {
    await ask(attributes, WITH);
    expect(specs()).toEqual(specs().map(() => expect.objectContaining({ groups: WITH.groups })));
    expect(asked.length).toBeGreaterThan(0);
  });

  test('other bindings of that group allow, unless the host denies explicitly', async () => {
    await world.create('ClusterRole', '', 'theirs', {
      rules: [{ apiGroups: ['management.svc.example'], resources: ['sharedsecrets'], verbs: ['get'] }],
    });
    await everyone('theirs', 'theirs');
    now += 60_000;
    expect(await ask(GET, WITH)).toMatchObject({ allowed: true });
    expect(await ask({ ...GET, verb: 'update' } as Attributes, WITH)).toMatchObject({ allowed: false });
    expect(await ask(GET, EVE)).toMatchObject({ allowed: false });
    answer = () => review({ allowed: false, denied: true });
    now += 60_000;
    expect(await ask(GET, WITH)).toMatchObject({ allowed: false });
    await world.remove('ClusterRoleBinding', '', 'theirs');
    await world.remove('ClusterRole', '', 'theirs');
  });

  test('other subjects of the role gain nothing, and keep their other rights', async () => {
    const reason = `RBAC: allowed by RoleBinding "x/a" of ClusterRole "${PROXY_GRANT}" to User "eve"`;
    await world.create('RoleBinding', 'a', 'x', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: PROXY_GRANT },
      subjects: [{ kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    answer = () => review({ allowed: true, reason });
    now += 60_000;
    expect(await ask(GET, EVE)).toMatchObject({ allowed: false });
    await world.create('Role', 'a', 'own', {
      rules: [{ apiGroups: ['management.svc.example'], resources: ['sharedsecrets'], verbs: ['get'] }],
    });
    await world.create('RoleBinding', 'a', 'own', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'own' },
      subjects: [{ kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    expect(await ask(GET, EVE)).toMatchObject({ allowed: true });
    for (const name of ['x', 'own']) await world.remove('RoleBinding', 'a', name);
    await world.remove('Role', 'a', 'own');
  });
});

test('denies without a review after too many denied requests of a user', async () => {
  answer = () => DENIED;
  for (let at = 0; at < 500; at += 1)
    expect(await ask({ ...GET, namespace: `x${at}` } as Attributes)).toMatchObject({ allowed: false });
  expect(asked).toHaveLength(100);
  now += 1000;
  await ask({ ...GET, namespace: 'y' } as Attributes);
  expect(asked).toHaveLength(101);
  await ask(GET, { ...EVE, name: 'other' });
  expect(asked).toHaveLength(102);
});

test('caches answers for a second while the watch of roles is interrupted', async () => {
  followed = false;
  ttl = 5_000;
  await ask();
  now += 999;
  await ask();
  expect(asked).toHaveLength(1);
  now += 1;
  await ask();
  expect(asked).toHaveLength(2);
});

test('a hundred users at seventy reads a second cause twenty reviews a second', async () => {
  ttl = 5_000;
  for (let at = 0; at < 1_400; at += 1) {
    await ask({ ...GET, name: `n${at % 37}` } as Attributes, { ...EVE, name: `u${at % 100}` });
    now += 1_000 / 70;
  }
  expect(asked.length).toBeLessThanOrEqual(100 * 4);
});

describe('with a host that', () => {
  test.each<[string, HostAnswer | Error, object, object]>([
    [
      'is unavailable',
      new HostUnreachable('away', false),
      { code: 503, reason: 'ServiceUnavailable' },
      { 'Retry-After': '1' },
    ],
    [
      'denies the review',
      { status: 403, body: {}, retryAfterMs: undefined },
      { code: 500, reason: 'InternalError' },
      {},
    ],
    [
      'allows and denies at once',
      review({ allowed: true, denied: true }),
      { code: 500, reason: 'InternalError' },
      {},
    ],
  ])('%s neither denies nor allows', async (_name, given, status, headers) => {
    answer = () => given;
    const failure = await ask().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StatusError);
    expect(failure).toMatchObject({ status, headers });
    expect(failures).toHaveLength(1);
    answer = () => ALLOWED;
    expect(await ask()).toMatchObject({ allowed: true });
  });
});

describe('when roles of the host change', () => {
  const bind = async (name: string): Promise<void> => {
    const rules = [{ apiGroups: ['management.svc.example'], resources: ['sharedsecrets'], verbs: ['get'] }];
    await world.create('Role', 'a', name, { rules });
    await world.create('RoleBinding', 'a', name, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' }],
    });
  };
  const unbind = async (name: string): Promise<void> => {
    await world.remove('RoleBinding', 'a', name);
    await world.remove('Role', 'a', name);
  };

  test('drops cached answers', async () => {
    answer = () => DENIED;
    await ask();
    await world.create('ClusterRole', '', 'unrelated', { rules: [] });
    await ask();
    expect(asked).toHaveLength(2);
    await world.remove('ClusterRole', '', 'unrelated');
  });

  test('reviews again if the host does not know the change yet', async () => {
    answer = (times) => (times < 3 ? DENIED : ALLOWED);
    await bind('late');
    expect(await ask()).toMatchObject({ allowed: true });
    expect(asked).toHaveLength(3);
    await unbind('late');
  });

  test('does not cache what the host still allows', async () => {
    await bind('taken');
    await ask();
    await unbind('taken');
    await ask();
    answer = () => DENIED;
    expect(await ask()).toMatchObject({ allowed: false });
  });

  test('follows the host alone once the change is old', async () => {
    await bind('old');
    await ask();
    now += 60_000;
    answer = () => DENIED;
    expect(await ask()).toMatchObject({ allowed: false });
    await unbind('old');
  });

  test('shows all objects to users who may get them, not to users who may only list them', async () => {
    const kind = {
      group: 'management.svc.example',
      resource: 'sharedsecrets',
      subresource: '',
      namespace: 'a',
    };
    const rules = [{ apiGroups: ['*'], resources: ['sharedsecrets'], verbs: ['list', 'watch'] }];
    await world.create('ClusterRole', '', 'filtered', { rules });
    await world.create('ClusterRoleBinding', '', 'filtered', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'filtered' },
      subjects: [{ kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    expect(authorizer.visible(EVE, { ...kind, verb: 'list' })).toEqual({ objects: 'none' });
    await bind('seeing');
    expect(authorizer.visible(EVE, { ...kind, verb: 'list' })).toEqual({ objects: 'all' });
    expect(authorizer.visible(EVE, { ...kind, verb: 'watch' })).toEqual({ objects: 'all' });
    expect(authorizer.visible(EVE, { ...kind, verb: 'delete' })).toEqual({ objects: 'none' });
    expect([...authorizer.namespaces(EVE)]).toEqual(['a']);
    expect(await authorizer.rulesFor(EVE, 'a')).toMatchObject({ incomplete: true, resourceRules: [{}, {}] });
    await unbind('seeing');
  });
});

test.each([
  ['/healthz', true],
  ['/healthz/', false],
  ['/healthz/etcd', false],
  ['/livez', false],
])('with /healthz always allowed, allows %s: %s', (path, allowed) => {
  const paths = alwaysAllowedPaths(['/healthz']);
  expect(paths.authorize(EVE, { kind: 'path', verb: 'get', path })).toMatchObject({ allowed });
  expect(paths.authorize(EVE, GET)).toMatchObject({ allowed: false });
});
