import { describe, expect, test } from '@jest/globals';
import { en } from '../texts/en.js';
import { grantsOf, withoutGrant, withShare } from './access.js';
import { keyViewOf } from './accesskeys.js';
import { attentionOf } from './attention.js';
import { clusterViewOf } from './clusters.js';
import { changesOf } from './edits/changes.js';
import { command } from './commands/command.js';
import { tableRows } from './forms.js';
import { instanceViewOf } from './instances.js';
import { pathOf } from './paths.js';
import { projectViewOf, usageOf, usedBy } from './projects.js';
import { buildScope, NO_FIELDS } from './scopes/scopebuild.js';
import { scopeSentence } from './scopes/scopetext.js';
import { viewOf } from './secrets.js';
import { ApiError, causesOf, errorOf } from './status.js';
import { base64Of, bytesOf, generated, textOf } from './values.js';

describe('access', () => {
  const access = [{ verbs: ['get'], users: ['bob'], teams: ['web'] }];

  test('a share joins the rule with the same verbs, whatever their order', () => {
    const share = { users: ['eve', 'bob'], teams: [], verbs: ['get'] };
    expect(withShare(access, share)).toEqual([{ verbs: ['get'], users: ['bob', 'eve'], teams: ['web'] }]);
    expect(withShare(access, { ...share, verbs: ['*'] })).toHaveLength(2);
    expect(withShare([{ ...access[0], subresources: ['status'] }], share)).toHaveLength(2);
  });

  test('grants are told person by person, the owner first', () => {
    const rules = [...access, { verbs: ['update'], users: ['bob', '*'] }];
    expect(grantsOf({ owner: { user: 'ada' }, access: rules })).toEqual([
      { kind: 'user', name: 'ada', verbs: ['*'], owner: true },
      { kind: 'everyone', name: '', verbs: ['update'], owner: false },
      { kind: 'user', name: 'bob', verbs: ['get', 'update'], owner: false },
      { kind: 'team', name: 'web', verbs: ['get'], owner: false },
    ]);
  });

  test('a grant is taken from one alone, and rules for nobody go', () => {
    const bob = { kind: 'user', name: 'bob', verbs: ['get'], owner: false } as const;
    expect(withoutGrant(access, bob)).toEqual([{ verbs: ['get'], users: [], teams: ['web'] }]);
    expect(withoutGrant([{ verbs: ['get'], users: ['bob'] }], bob)).toEqual([]);
    // A team may be called as a user is.
    expect(withoutGrant([{ verbs: ['get'], users: ['bob'], teams: ['bob'] }], bob)).toEqual([
      { verbs: ['get'], users: [], teams: ['bob'] },
    ]);
  });
});

test('a cached secret has no values', () => {
  const spec = { data: { password: 'aHVudGVyMg==', token: 'YQ==' } };
  const kept = viewOf('sharedsecrets', {
    kind: 'SharedSecret',
    apiVersion: 'v1',
    metadata: { name: 's' },
    spec,
  });
  expect(kept.entries).toEqual([
    { name: 'password', bytes: 7 },
    { name: 'token', bytes: 1 },
  ]);
  expect(JSON.stringify(kept)).not.toMatch(/aHVudGVyMg|YQ==/);
});

test('rows are read by the columns of the list, which events do not repeat', () => {
  const form = tableRows('/apis/g/v1/namespaces/a/things?labelSelector=a');
  const row = (name: string) => ({ cells: [name, 2], object: { metadata: { name, managedFields: [{}] } } });
  form.items({ columnDefinitions: [{ name: 'Name' }, { name: 'Entries' }], rows: [row('a')] });
  expect(form.changed({ columnDefinitions: null, rows: [row('b')] })).toEqual([
    { resource: 'things', cells: { Name: 'b', Entries: '2' }, metadata: { name: 'b' } },
  ]);
});

test('changes are told by field, the latest first', () => {
  const managedFields = [
    {
      manager: 'a',
      time: '2026-01-01T00:00:00Z',
      fieldsV1: { 'f:spec': { 'f:data': { '.': {}, 'f:x': {}, 'f:y': {} } } },
    },
    { manager: 'b', time: '2026-01-02T00:00:00Z', fieldsV1: { 'f:spec': { 'f:owner': {} } } },
    { manager: 'c', time: '2026-01-03T00:00:00Z', fieldsV1: {} },
    {
      manager: 'd',
      time: '2025-01-01T00:00:00Z',
      fieldsV1: {
        'f:metadata': { 'f:finalizers': { '.': {}, 'v:"x/y"': {} } },
        'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:reason': {}, 'f:type': {} } } },
        'f:spec': { 'f:users': { 'i:0': {}, 'k:broken': {} } },
      },
    },
  ];
  expect(changesOf({ managedFields })).toEqual([
    { manager: 'b', time: '2026-01-02T00:00:00Z', fields: ['spec.owner'] },
    { manager: 'a', time: '2026-01-01T00:00:00Z', fields: ['spec.data.x', 'spec.data.y'] },
    {
      manager: 'd',
      time: '2025-01-01T00:00:00Z',
      fields: [
        'metadata.finalizers["x/y"]',
        'status.conditions[Ready]',
        'spec.users[0]',
        'spec.users[broken]',
      ],
    },
  ]);
});

describe('scopes', () => {
  const readDatabase = {
    verbs: ['get'],
    resources: [{ group: 'management.svc.example', resources: ['sharedsecrets'] }],
    resourceNames: ['database'],
    namespaces: ['default'],
    requestTargets: ['Management'],
  };

  test('are built from what is typed', () => {
    const typed = { projects: 'web, api', spaces: 'web/dev,web', virtualClusters: 'web/*' };
    const fields = { ...NO_FIELDS, ...typed, secrets: 'default/database, queue' };
    expect(buildScope(fields)).toEqual({
      bad: { spaces: ['web'], virtualClusters: [], secrets: ['queue'] },
      scope: {
        projects: [{ project: 'web' }, { project: 'api' }],
        spaces: [{ project: 'web', space: 'dev' }],
        virtualClusters: [{ project: 'web', virtualCluster: '*' }],
        rules: [readDatabase],
      },
    });
  });

  test.each([
    [undefined, 'It may do everything that its owner may do.'],
    [{}, 'It may do nothing.'],
    [
      { projects: [{ project: 'web' }], spaces: [{ project: 'api', space: '*' }] },
      'It may use the project web with everything in it and all spaces of the project api, as far as its owner may, and nothing else.',
    ],
    [
      { rules: [{ verbs: ['get'], resources: [{ resources: ['secrets'] }], namespaces: ['n'] }] },
      'It may use the requests “get secrets in n”, as far as its owner may, and nothing else.',
    ],
    [
      { rules: [readDatabase] },
      'It may use the secret default/database, to read it, as far as its owner may, and nothing else.',
    ],
    [
      { rules: [{ ...readDatabase, verbs: ['get', 'update'] }] },
      'It may use the requests “get, update sharedsecrets database in default”, as far as its owner may, and nothing else.',
    ],
  ])('%j: %s', (scope, sentence) => {
    expect(scopeSentence(scope, en.scope)).toBe(sentence);
  });
});

test('a key ends by its time to live, from its creation or its last use', () => {
  const key = (spec: object) =>
    keyViewOf({
      kind: 'OwnedAccessKey',
      apiVersion: 'v1',
      metadata: { name: 'k', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec,
      status: { lastActivity: '2026-01-01T01:00:00Z' },
    }).expires;
  expect(key({})).toBeUndefined();
  expect(key({ ttl: 60 })).toBe(Date.parse('2026-01-01T00:01:00Z'));
  expect(key({ ttl: 60, ttlAfterLastActivity: true })).toBe(Date.parse('2026-01-01T01:01:00Z'));
});

test('attention lists what has failed first, then what waits or ends, the key that ends next before others, and unused keys last', () => {
  const now = Date.parse('2026-03-01T00:00:00Z');
  const key = (name: string, spec: object, creationTimestamp = '2026-01-01T00:00:00Z') =>
    keyViewOf({
      kind: 'OwnedAccessKey',
      apiVersion: 'v1',
      spec,
      metadata: { name, creationTimestamp },
    });
  const day = 86_400;
  const keys = [
    key('unused', {}),
    key('ends', { ttl: 60 * day }),
    key('ends next', { ttl: 59.5 * day }),
    key('over', { ttl: 58 * day }),
    key('made for a day', { ttl: day }, '2026-02-28T23:00:00Z'),
    key('off', { disabled: true }),
    key('session', { type: 'Login', ttl: 60 * day }),
  ];
  const project = projectViewOf({
    kind: 'Project',
    apiVersion: 'v1',
    metadata: { name: 'p', deletionTimestamp: '2026-02-01T00:00:00Z' },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Why',
          message: 'why',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  });
  const phased = (name: string, phase: string, creationTimestamp: string, deletionTimestamp?: string) => ({
    metadata: { name, namespace: 'n', creationTimestamp, deletionTimestamp },
    status: { phase, message: 'why' },
  });
  const [long, soon] = ['2026-02-01T00:00:00Z', '2026-02-28T23:59:00Z'];
  const spaces = [
    phased('waits', 'Pending', long),
    phased('ready', 'Ready', long),
    phased('failed', 'Failed', soon),
    phased('new', 'Pending', soon),
    phased('goes', 'Failed', long, long),
  ].map((one) => instanceViewOf(one as never));
  const clusters = [clusterViewOf(phased('away', 'Failed', long) as never)];
  const seen = { keys, projects: [project], spaces, virtualClusters: [], clusters };
  expect(attentionOf(seen, now).map(({ kind, resource, name }) => `${kind} ${resource} ${name}`)).toEqual([
    'phase clusters away',
    'phase spaceinstances failed',
    'condition projects p',
    'phase spaceinstances waits',
    'is deleted projects p',
    'is deleted spaceinstances goes',
    'ends ownedaccesskeys ends next',
    'ends ownedaccesskeys ends',
    'never used ownedaccesskeys unused',
  ]);
});

test('usage is that of the server, and else what the console counts', () => {
  const quotas = {
    instances: 4,
    secretBytes: 10,
    objects: { configmaps: 2, 'sharedsecrets.management.svc.example': 3 },
  };
  const counts = { spaceinstances: 1, virtualclusterinstances: 2, sharedsecrets: 3 };
  const told = [
    { name: 'secretBytes', used: 7, hard: 10 },
    { name: 'sharedsecrets.management.svc.example', used: 2, hard: 3 },
  ];
  expect(usageOf({ quotas }, usedBy(counts, told))).toEqual([
    { name: 'instances', used: 3, most: 4 },
    { name: 'secretBytes', used: 7, most: 10 },
    { name: 'configmaps', used: undefined, most: 2 },
    { name: 'sharedsecrets.management.svc.example', used: 2, most: 3 },
  ]);
});

test('names are no part of a path or a command but a step and a word', () => {
  expect(pathOf('sharedsecrets', 'a/../b', '?x=1#')).toBe(
    '/apis/management.svc.example/v1/namespaces/a%2F..%2Fb/sharedsecrets/%3Fx%3D1%23',
  );
  expect(pathOf('users', '', 'a:b')).toBe('/apis/management.svc.example/v1/users/a:b');
  expect(command('get', `a'; rm -rf / #`)).toBe(`get 'a'\\''; rm -rf / #'`);
});

test('values are bytes', () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_one, at) => at % 256);
  expect(bytesOf(base64Of(bytes))).toEqual(bytes);
  expect(textOf(Uint8Array.of(0xff, 0xfe))).toBeUndefined();
  expect(generated(40)).toMatch(/^[A-Za-z2-9]{40}$/);
  expect(generated()).not.toBe(generated());
});

test('messages of the server are found by their field', () => {
  const causes = [
    { field: 'spec.data.x', message: 'one' },
    { field: 'spec.database', message: 'other' },
  ];
  const error = errorOf(422, { kind: 'Status', message: 'm', reason: 'Invalid', details: { causes } });
  expect(causesOf(error, 'spec.data')).toEqual(['one']);
  expect(errorOf(502, '<html>')).toEqual(new ApiError(502, { reason: 'Unreadable', message: '' }));
});
