/** `platform who-can` with a running server: what it asks, prints and says is missing. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { accessKeys, API, bodyOf } from '../../fixtures/clients/accesskeys.js';
import { client } from '../../fixtures/clients/client.js';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';

let it: LoggedInCli;
let adaKey: string;
const whoCan = (...args: string[]) => it.run('who-can', ...args);
const lines = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, ' | '));

beforeAll(async () => {
  it = await startLoggedIn();
  const admin = client(it.server);
  const keys = accessKeys(it.server);
  await keys.createUser('ada');
  adaKey = (await keys.createKey('ada-key', { user: 'ada' })).spec.key as string;
  const created = async (path: string, kind: string, name: string, spec: object): Promise<void> => {
    const answer = await admin.send('POST', `${API}${path}`, bodyOf(kind, name, spec));
    expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  };
  await created('/teams', 'Team', 'web', { users: ['bob'] });
  const access = [{ name: 'readers', verbs: ['get'], users: ['mia'], teams: ['web'] }];
  const secret = { owner: { user: 'ada' }, access };
  await created('/namespaces/default/sharedsecrets', 'SharedSecret', 'database', secret);
  await created('/projects', 'Project', 'shop', { owner: { user: 'ada' } });
});
afterAll(() => it.remove());

test('prints each way: who, and by what', async () => {
  const { stdout, stderr, code } = await whoCan('get', 'secret', 'database');
  expect([code, stderr]).toEqual([0, '']);
  expect(lines(stdout)).toEqual([
    'WHO | BY',
    'User ada | Owner spec.owner (*)',
    'User mia | AccessRule readers (get)',
    'User bob | Team web, AccessRule readers (get)',
    'TeamKey web | Team web, AccessRule readers (get)',
    'Group system:masters | ClusterRoleBinding cluster-admin, ClusterRole cluster-admin (*)',
    'Group management:admins | ClusterRoleBinding management:admins, ClusterRole cluster-admin (*)',
  ]);
});

describe('reach', () => {
  test('prints what a user or a team can read, and by what', async () => {
    const { code, stdout } = await it.run('reach', 'ada');
    expect([code, lines(stdout)]).toEqual([
      0,
      expect.arrayContaining([
        'RESOURCE | NAMESPACE | NAME | BY',
        'projects | shop | Owner spec.owner (*)',
        'sharedsecrets | default | database | Owner spec.owner (*)',
      ]),
    ]);
    const way = [
      { kind: 'Team', name: 'web' },
      { kind: 'AccessRule', name: 'readers', verbs: ['get'] },
    ];
    expect(await it.json('reach', 'web', '--team')).toMatchObject({
      status: {
        objects: [
          {
            resource: 'sharedsecrets',
            namespace: 'default',
            name: 'database',
            ways: [{ steps: way }],
          },
        ],
      },
    });
    expect((await it.run('reach', 'web', '--team')).stdout).toContain(
      ' Team web, AccessRule readers (get)\n',
    );
    expect(await it.run('reach', 'web', '--team', '--verb', 'update')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('"web" can update none of it'),
    });
  });

  test('says what it could not read, and whom there is not', async () => {
    const own = await it.cli.run(['reach', 'ada'], { env: it.envOf(adaKey) });
    expect([own.code, own.stderr]).toEqual([0, expect.stringContaining('You may not read these')]);
    expect(await it.run('reach', 'adda')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('did you mean ada?'),
    });
  });
});

test('says what is missing on standard error', async () => {
  const { stdout, stderr, code } = await it.cli.run(['who-can', 'get', 'secret', 'database'], {
    env: it.envOf(adaKey),
  });
  expect([code, lines(stdout)]).toEqual([
    0,
    [
      'WHO | BY',
      'User ada | Owner spec.owner (*)',
      'User mia | AccessRule readers (get)',
      'Team web | AccessRule readers (get)',
    ],
  ]);
  expect(stderr).toContain('rolebindings, roles, clusterrolebindings, clusterroles, teams');
  const nothing = await it.cli.run(['who-can', 'get', 'project', 'other'], { env: it.envOf(adaKey) });
  expect([nothing.code, nothing.stdout]).toEqual([0, '']);
  expect(nothing.stderr).toContain('You may not read these, which may grant it, too: object, ');
  expect(nothing.stderr).toContain('Nobody, as far as you may see. Ask the owner of the object');
});

test.each<[string, object]>([
  ['get secrets', { resource: 'sharedsecrets', group: 'management.svc.example', namespace: 'default' }],
  ['get secrets. one -n team', { resource: 'secrets', group: '', namespace: 'team', name: 'one' }],
  [
    'get projectsecrets db --project shop',
    { resource: 'projectsecrets', group: 'management.svc.example', namespace: 'loft-p-shop', name: 'db' },
  ],
  ['get projectsecrets -n loft-p-shop', { resource: 'projectsecrets', namespace: 'loft-p-shop' }],
  ['get sharedsecrets.management.svc.example db', { resource: 'sharedsecrets', namespace: 'default' }],
  ['use space s --project shop', { resource: 'spaceinstances', namespace: 'loft-p-shop', name: 's' }],
  ['get secret s --project shop', { resource: 'projectsecrets', namespace: 'loft-p-shop' }],
  ['get project/members shop', { resource: 'projects', subresource: 'members', name: 'shop' }],
  ['impersonate user ada', { resource: 'users', name: 'ada' }],
  ['get user ada', { resource: 'users', group: 'management.svc.example', name: 'ada' }],
  ['get namespaces default', { resource: 'namespaces', group: '', name: 'default' }],
  ['list deployments.apps', { resource: 'deployments', group: 'apps' }],
])('%s asks for %j', async (line, spec) => {
  const [verb] = line.split(' ');
  const answer = await it.json('who-can', ...line.split(' '));
  expect(answer).toMatchObject({ kind: 'ResourceAccessReview', spec: { verb, ...spec } });
  expect(answer).toHaveProperty('status.ways');
});

test.each([
  [['get'], 2, /missing required argument 'resource'/],
  [['get', 'space', 's'], 2, /--project/],
  [['get', 'pods', 'p', '--project', 'shop'], 2, /pods are not in projects/],
  [['get', 'secret', '-o', 'wide'], 2, /-o wide is not offered/],
])('refuses %j', async (args, code, message) => {
  const ended = await whoCan(...args);
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(message)]);
});

test.each([
  [
    'raed secret database',
    'sharedsecrets.management.svc.example know no verb "raed"; did you mean get?; they know create, delete, ',
  ],
  [
    'delte secret database',
    'sharedsecrets.management.svc.example know no verb "delte"; did you mean delete?',
  ],
  ['get secrt database', 'this server has no resource "secrt"; did you mean secret?'],
  ['get configmap x', 'this server has no resource "configmap"; did you mean configmaps?'],
])('%s is refused: %s', async (line, why) => {
  const ended = await whoCan(...line.split(' '));
  expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(why) });
});

test.each([
  ['get deployments.aps', 'this server has no resource "deployments.aps"'],
  ['get secret databse', 'there is no sharedsecrets "databse" there'],
  ['get secret s --project shp', 'there is no project "shp"; did you mean shop?'],
])('%s warns of what does not exist: %s', async (line, warning) => {
  const { code, stderr } = await whoCan(...line.split(' '));
  expect([code, stderr]).toEqual([0, expect.stringContaining(`Warning: ${warning}`)]);
});

test('warns of nothing that the caller may not see', async () => {
  const { stderr } = await it.cli.run(['who-can', 'get', 'secret', 'databse'], { env: it.envOf(adaKey) });
  expect(stderr).not.toContain('Warning');
});

test('is completed', async () => {
  expect((await it.run('__complete', 'who')).stdout).toBe('whoami\nwho-can\n');
  expect((await it.run('__complete', 'who-can', 'get', 'secret', '--na')).stdout).toBe('--namespace\n');
});
