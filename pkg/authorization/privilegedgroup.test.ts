import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ANONYMOUS, type User } from '../authentication/interface.js';
import type { Attributes, Authorizer } from './interface.js';
import { privilegedGroupAuthorizer } from './privilegedgroup.js';
import { rbacAuthorizer } from './rbac/authorizer.js';
import { rbacCaches } from './rbac/caches.js';
import { openRbacWorld, type RbacWorld } from './rbac/testing/rbacworld.js';
import { unionAuthorizer } from './union.js';
import { bootstrapRbac } from '../registry/rbac/bootstrap/reconcile.js';

/** The RBAC objects that a server creates at its first start. */
let world: RbacWorld;
let authorizer: Authorizer;

beforeAll(async () => {
  world = await openRbacWorld();
  await bootstrapRbac(world.registry.stores);
  authorizer = unionAuthorizer([
    privilegedGroupAuthorizer(),
    rbacAuthorizer(rbacCaches(world.registry.cache)),
  ]);
});

afterAll(() => world.close());

const admin: User = { name: 'admin', uid: '', groups: ['system:masters'], extra: {} };
const viewer: User = { name: 'viewer', uid: '', groups: ['system:authenticated'], extra: {} };
const path = (at: string, verb = 'get'): Attributes => ({ kind: 'path', verb, path: at });
const selfReview = (group: string, resource: string, verb = 'create'): Attributes => ({
  kind: 'resource',
  verb,
  group,
  version: 'v1',
  resource,
  subresource: '',
  namespace: '',
  name: '',
});
const secrets: Attributes = {
  kind: 'resource',
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'secrets',
  subresource: '',
  namespace: 'a',
  name: 'b',
};

test.each<[string, User, Attributes, boolean]>([
  ['admin reads secrets', admin, secrets, true],
  ['admin writes anywhere', admin, path('/metrics', 'delete'), true],
  ['viewer reads secrets', viewer, secrets, false],
  ...[
    '/api',
    '/api/',
    '/api/v1',
    '/apis',
    '/apis/g',
    '/apis/g/v1',
    '/apis/g/v1/',
    '/openapi/v2',
    '/openapi/v3/apis/g/v1',
    '/version',
    '/readyz',
  ].map((at): [string, User, Attributes, boolean] => [`viewer reads ${at}`, viewer, path(at), true]),
  ...['/metrics', '/', '/apix', '/openapix', '/versions', '/healthzz'].map(
    (at): [string, User, Attributes, boolean] => [`viewer reads ${at}`, viewer, path(at), false],
  ),
  ['viewer posts /apis', viewer, path('/apis', 'post'), false],
  ['anonymous reads health', ANONYMOUS, path('/livez'), true],
  ['anonymous reads a check', ANONYMOUS, path('/readyz/ping'), false],
  ['anonymous reads the version', ANONYMOUS, path('/version'), true],
  ['anonymous reads discovery', ANONYMOUS, path('/apis'), false],
  ['anonymous reads openapi', ANONYMOUS, path('/openapi/v3'), false],
  ['viewer asks who he is', viewer, selfReview('authentication.k8s.io', 'selfsubjectreviews'), true],
  ['viewer asks what he may', viewer, selfReview('authorization.k8s.io', 'selfsubjectrulesreviews'), true],
  ['viewer asks of others', viewer, selfReview('authorization.k8s.io', 'subjectaccessreviews'), false],
  [
    'viewer lists reviews',
    viewer,
    selfReview('authorization.k8s.io', 'selfsubjectrulesreviews', 'list'),
    false,
  ],
  ['anonymous asks who he is', ANONYMOUS, selfReview('authentication.k8s.io', 'selfsubjectreviews'), false],
])('%s', (_name, user, attributes, allowed) => {
  const decision = authorizer.authorize(user, attributes);
  expect(decision).toMatchObject(allowed ? { allowed } : { allowed, reason: '' });
});

test('allows system:masters everything without a role', () => {
  expect(privilegedGroupAuthorizer().authorize(admin, secrets)).toEqual({ allowed: true });
  expect(privilegedGroupAuthorizer().authorize(viewer, path('/version'))).toEqual({
    allowed: false,
    reason: '',
  });
});

test('lists the allowed rules of a user once', async () => {
  expect(await authorizer.rulesFor(admin, 'a')).toEqual({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  });
  const { resourceRules, nonResourceRules } = await authorizer.rulesFor(viewer, 'a');
  const asked = resourceRules.flatMap(({ verbs, apiGroups: [group = ''], resources }) =>
    resources.map((resource) => authorizer.authorize(viewer, selfReview(group, resource, verbs[0]))),
  );
  expect(asked.length).toBeGreaterThan(2);
  for (const decision of asked) expect(decision).toMatchObject({ allowed: true });
  const paths = nonResourceRules.flatMap(({ nonResourceURLs }) => nonResourceURLs);
  expect(paths).toContain('/openapi/*');
  expect(await authorizer.rulesFor(ANONYMOUS, 'a')).toMatchObject({ resourceRules: [] });
});
