/**
 * Who may write each field that decides as whom, in which groups, how long and on which objects somebody acts, with
 * each verb that can change it. `writer` may do everything with these kinds except impersonate, and may not update
 * teams; `granter` may do that, too.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const RBAC = 'rbac.authorization.k8s.io';

type Kind = 'OwnedAccessKey' | 'User' | 'Team';
type Spec = Record<string, unknown>;
const PLURALS = { OwnedAccessKey: 'ownedaccesskeys', User: 'users', Team: 'teams' } as const;

/** The spec of each object before the write. The owner of the key is not its writer. */
const BASE: Record<Kind, Spec> = {
  OwnedAccessKey: { user: 'victim', ttl: 100_000, scope: { allowPlatformCli: true }, disabled: true },
  User: { displayName: 'before' },
  Team: { displayName: 'before' },
};

/** Fields and their new values; null: removed. */
const GRANTING: readonly (readonly [Kind, string, Spec])[] = [
  ['OwnedAccessKey', 'user', { user: 'other' }],
  ['OwnedAccessKey', 'team', { user: null, team: 'ops' }],
  ['OwnedAccessKey', 'subject', { user: null, subject: 'robot' }],
  ['OwnedAccessKey', 'groups', { groups: ['extra'] }],
  ['OwnedAccessKey', 'scope', { scope: { projects: [{ project: '*' }] } }],
  ['OwnedAccessKey', 'scope gone', { scope: null }],
  ['OwnedAccessKey', 'ttl', { ttl: 200_000 }],
  ['OwnedAccessKey', 'ttlAfterLastActivity', { ttlAfterLastActivity: true }],
  ['OwnedAccessKey', 'type', { type: 'Other' }],
  ['OwnedAccessKey', 'disabled', { disabled: false }],
  ['OwnedAccessKey', 'key', { key: `given-${'k'.repeat(40)}` }],
  ['User', 'groups', { groups: ['extra'] }],
  ['User', 'subject', { subject: 'sub-of-another' }],
  ['Team', 'users', { users: ['writer'] }],
  ['Team', 'groups', { groups: ['extra'] }],
];

interface Target {
  readonly kind: Kind;
  readonly name: string;
  readonly change: Spec;
}

const VERBS = ['POST', 'apply to create', 'PUT', 'merge', 'json', 'apply', 'strategic', 'status'] as const;
type Verb = (typeof VERBS)[number];

let server: ServerFixture;
let admin: Client;
const clients: Record<string, Client> = {};
const pathOf = ({ kind, name }: Pick<Target, 'kind' | 'name'>): string => `${API}/${PLURALS[kind]}/${name}`;
const objectOf = (kind: Kind, name: string, spec: Spec): object => ({
  kind,
  apiVersion: `${GROUP}/v1`,
  metadata: { name },
  spec,
});
const without = (spec: Spec): Spec =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null));

async function must(answer: Promise<Answer>): Promise<string> {
  const { status, text } = await answer;
  expect([status < 300, text]).toEqual([true, expect.anything()]);
  return text;
}

beforeAll(async () => {
  server = await startServer();
  admin = client(server);
  for (const name of ['writer', 'granter', 'victim', 'other'])
    await must(admin.send('POST', `${API}/users`, objectOf('User', name, {})));
  await must(admin.send('POST', `${API}/teams`, objectOf('Team', 'ops', {})));
  const all = ['ownedaccesskeys', 'ownedaccesskeys/status', 'users', 'users/status', 'teams/status'];
  await grant('writer', [
    { verbs: ['*'], apiGroups: [GROUP], resources: all },
    { verbs: ['get', 'create', 'patch'], apiGroups: [GROUP], resources: ['teams'] },
  ]);
  await grant('granter', [
    { verbs: ['*'], apiGroups: [GROUP], resources: [...all, 'teams'] },
    { verbs: ['impersonate'], apiGroups: [''], resources: ['users', 'groups'] },
  ]);
});
afterAll(() => server.remove());

/** Creates a ClusterRole, its binding, and an access key. */
async function grant(name: string, rules: object[]): Promise<void> {
  const apiVersion = `${RBAC}/v1`;
  const metadata = { name };
  await must(
    admin.send('POST', `/apis/${apiVersion}/clusterroles`, {
      kind: 'ClusterRole',
      apiVersion,
      metadata,
      rules,
    }),
  );
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name };
  const subjects = [{ apiGroup: RBAC, kind: 'User', name }];
  const binding = { kind: 'ClusterRoleBinding', apiVersion, metadata, roleRef, subjects };
  await must(admin.send('POST', `/apis/${apiVersion}/clusterrolebindings`, binding));
  const key = await must(
    admin.send('POST', `${API}/ownedaccesskeys`, objectOf('OwnedAccessKey', name, { user: name })),
  );
  clients[name] = client(server, (JSON.parse(key) as { spec: { key: string } }).spec.key);
}

async function write(by: Client, verb: Verb, target: Target): Promise<Answer> {
  const { kind, name, change } = target;
  const path = pathOf(target);
  const whole = objectOf(kind, name, without({ ...BASE[kind], ...change }));
  const patch = (type: string, body: unknown, at = path): Promise<Answer> =>
    by.send('PATCH', at, body, { 'content-type': `application/${type}` });
  switch (verb) {
    case 'POST':
      return by.send('POST', `${API}/${PLURALS[kind]}`, whole);
    case 'apply to create':
      return patch('apply-patch+yaml', whole, `${path}?fieldManager=m`);
    case 'PUT': {
      const live = JSON.parse((await admin.send('GET', path)).text) as { spec: Spec };
      return by.send('PUT', path, { ...live, spec: without({ ...live.spec, ...change }) });
    }
    case 'merge':
      return patch('merge-patch+json', { spec: change });
    case 'json':
      return patch(
        'json-patch+json',
        Object.entries(change).map(([member, value]) =>
          value === null
            ? { op: 'remove', path: `/spec/${member}` }
            : { op: 'add', path: `/spec/${member}`, value },
        ),
      );
    case 'apply':
      return patch(
        'apply-patch+yaml',
        objectOf(kind, name, without({ ...BASE[kind], ...change })),
        `${path}?fieldManager=base&force=true`,
      );
    case 'strategic':
      return patch('strategic-merge-patch+json', { spec: change });
    case 'status':
      return patch('merge-patch+json', { spec: change, status: {} }, `${path}/status`);
  }
}

/** Every object is applied by one field manager, so that another apply of that manager can remove members. */
async function prepare({ kind, name }: Target): Promise<string> {
  const type = { 'content-type': 'application/apply-patch+yaml' };
  const body = objectOf(kind, name, BASE[kind]);
  await must(admin.send('PATCH', `${pathOf({ kind, name })}?fieldManager=base`, body, type));
  return specNow({ kind, name });
}

const specNow = async (target: Pick<Target, 'kind' | 'name'>): Promise<string> =>
  JSON.stringify((JSON.parse((await admin.send('GET', pathOf(target))).text) as { spec?: Spec }).spec);

const creates = (verb: Verb): boolean => verb === 'POST' || verb === 'apply to create';

/** 2: the write succeeds. */
function expected(by: string, verb: Verb): number {
  if (verb === 'status') return 2;
  return by === 'granter' ? 2 : 403;
}

const rows = GRANTING.flatMap(([kind, field, change]) =>
  VERBS.flatMap((verb) =>
    ['writer', 'granter'].map((by) => [by, kind, field, verb, expected(by, verb), change] as const),
  ),
);

describe('fields that grant', () => {
  test('are written in many ways', () => expect(rows.length).toBeGreaterThanOrEqual(80));

  test.each(rows)('%s writes %s %s by %s: %d', async (by, kind, field, verb, code, change) => {
    const name = `${by}-${field}-${verb}`.toLowerCase().replaceAll(' ', '-');
    const own = 'key' in change ? { key: `${name}-${'k'.repeat(40)}` } : change;
    const target = { kind, name, change: own };
    const before = creates(verb) ? undefined : await prepare(target);
    const answer = await write(clients[by] as Client, verb, target);
    expect([answer.status < 300 ? 2 : answer.status, answer.text]).toEqual([code, expect.anything()]);
    const after = await specNow(target);
    if (before !== undefined)
      expect(after === before).toBe(code !== 2 || verb === 'status' || 'key' in change);
    else expect(after === undefined).toBe(code !== 2);
    // A user has at most 100 keys.
    if (after !== undefined) await must(admin.send('DELETE', pathOf(target)));
  });
});

describe('a user who may not grant', () => {
  test.each([...VERBS.filter((verb) => !creates(verb))])('changes other fields by %s', async (verb) => {
    for (const kind of ['OwnedAccessKey', 'User', 'Team'] as const) {
      if (kind === 'Team' && verb === 'PUT') continue;
      const target = { kind, name: `plain-${verb}`.toLowerCase(), change: { displayName: 'after' } };
      await prepare(target);
      expect((await write(clients.writer as Client, verb, target)).status).toBe(200);
    }
  });

  test.each<[string, Spec, number]>([
    [
      'of their own, whatever its time, type, scope and key',
      { ttl: 5, type: 'Other', scope: {}, key: `own-${'k'.repeat(40)}` },
      201,
    ],
    ['in a group', { groups: ['extra'] }, 403],
    ['of a team', { team: 'ops' }, 403],
    ['of a subject', { subject: 'robot' }, 403],
    ['of another', { user: 'victim' }, 403],
  ])('makes a key %s', async (what, spec, code) => {
    const name = `made-${what.replaceAll(/[^a-z]+/g, '-').slice(0, 40)}x`;
    const answer = await (clients.writer as Client).send(
      'POST',
      `${API}/ownedaccesskeys`,
      objectOf('OwnedAccessKey', name, spec),
    );
    expect(answer.status).toBe(code);
  });
});
