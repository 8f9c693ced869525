/**
 * ResourceAccessReviews: they name those whom SubjectAccessReviews allow the same, and nobody else; and they tell the
 * caller nothing that the caller may not read.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type {
  ResourceAccessReview,
  Way,
} from '../../../api/management.svc.example/v1/resourceaccessreview.js';
import type { SubjectObjectsReview } from '../../../api/management.svc.example/v1/subjectobjectsreview.js';
import { accessKeys, API, bodyOf, parsed } from '../../fixtures/clients/accesskeys.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { allow } from '../../fixtures/clients/impersonation.js';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import type { Answer } from '../../fixtures/servers/server.js';

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${RBAC_GROUP}/v1`;
const GROUP = 'management.svc.example';
const SECRETS = `${API}/namespaces/default/sharedsecrets`;
const PROJECT = 'loft-p-web';

type Status = NonNullable<ResourceAccessReview['status']>;
interface Asked {
  readonly verb: string;
  readonly group?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}
interface Person {
  readonly user: string;
  readonly groups: readonly string[];
}

const told = ({ ways = [] }: Status): string[] =>
  ways.map(({ steps, uncertain }) =>
    [
      ...steps.map(({ kind, namespace, name }) => `${kind} ${namespace ? `${namespace}/` : ''}${name}`),
      ...(uncertain === true ? ['?'] : []),
    ].join(' < '),
  );

/** Whether the review names the person. */
const isNamed = ({ ways = [] }: Status, { user, groups }: Person): boolean =>
  ways.some(({ steps: [who] }) => {
    switch (who?.kind) {
      case 'User':
        return who.name === user;
      case 'TeamKey':
        return user === `management:team:${who.name}`;
      case 'ServiceAccount':
        return user === `system:serviceaccount:${who.namespace}:${who.name}`;
      case 'Team':
        return groups.includes(`management:team:${who.name}`);
      case 'Group':
        return groups.includes(who.name);
      default:
        throw new Error(`a way begins with ${JSON.stringify(who)}`);
    }
  });

const subject = (kind: string, name: string, namespace?: string): object => ({
  kind,
  name,
  ...(kind === 'ServiceAccount' ? { namespace } : { apiGroup: RBAC_GROUP }),
});
const rule = (verbs: string[], resources: string[], more: object = {}): object => ({
  verbs,
  resources,
  apiGroups: [GROUP],
  ...more,
});

const ACCESS = [
  { name: 'readers', verbs: ['get'], users: ['bob', 'gone'], teams: ['shop', 'absent'] },
  { verbs: ['update', 'get'], subresources: ['status'], users: ['mia'] },
  { name: 'all', verbs: ['use'], users: ['*'] },
  { name: 'again', verbs: ['get'], users: ['bob'] },
];

const SECRET = { group: GROUP, resource: 'sharedsecrets', namespace: 'default', name: 'db' };
const QUESTIONS: readonly Asked[] = [
  ...['get', 'update', 'patch', 'delete', 'use', '*'].map((verb) => ({ ...SECRET, verb })),
  ...['get', 'update'].map((verb) => ({ ...SECRET, verb, subresource: 'status' })),
  { ...SECRET, verb: 'get', name: 'absent' },
  { ...SECRET, verb: 'get', name: '' },
  { ...SECRET, verb: 'get', namespace: '' },
  { ...SECRET, verb: 'list', name: '' },
  { ...SECRET, verb: 'create', name: '', namespace: '' },
  ...['projects', 'projects/members', 'projects/quotas'].map((path) => {
    const [resource = '', subresource = ''] = path.split('/');
    return { verb: 'get', group: GROUP, resource, subresource, name: 'web' };
  }),
  { verb: 'update', group: GROUP, resource: 'projects', name: 'web' },
  { verb: 'use', group: GROUP, resource: 'spaceinstances', namespace: PROJECT, name: 'any' },
  { verb: 'get', group: GROUP, resource: 'projectsecrets', namespace: PROJECT, name: 'any' },
  ...['users', 'teams'].flatMap((resource) =>
    ['ada', 'shop', 'nobody', ''].map((name) => ({ verb: 'get', group: GROUP, resource, name })),
  ),
  { verb: 'delete', group: GROUP, resource: 'users', name: 'ada' },
  { verb: 'impersonate', resource: 'users', name: 'ada' },
  ...['ada-key', 'shop-key', 'lee-key', 'absent'].flatMap((name) =>
    ['get', 'patch', 'create', 'list'].map((verb) => ({
      verb,
      group: GROUP,
      resource: 'ownedaccesskeys',
      name,
    })),
  ),
  { verb: 'create', group: GROUP, resource: 'ownedaccesskeys' },
  { verb: 'create', group: GROUP, resource: 'ownedaccesskeys', subresource: 'unlimited' },
  { verb: 'get', resource: 'namespaces', namespace: 'default', name: 'default' },
  { verb: 'get', resource: 'secrets', namespace: 'default', name: 'named' },
  { verb: 'get', resource: 'secrets', namespace: 'default', name: 'other' },
  { verb: 'create', group: GROUP, resource: 'resourceaccessreviews' },
  { verb: '*', group: '*', resource: '*' },
];

describe.each(ENGINES)('on the %s engine', (_engine, start) => {
  let running: EngineServer;
  let admin: Client;
  const people = new Map<string, Person>();
  const keyOf = new Map<string, string>();

  async function created(path: string, body: object, by = admin): Promise<void> {
    const answer = await by.send('POST', path, body);
    expect([path, answer.status, answer.text]).toEqual([path, 201, expect.anything()]);
  }

  const ask = (spec: Asked, by = admin): Promise<Answer> =>
    by.send('POST', `${API}/resourceaccessreviews`, {
      ...bodyOf('ResourceAccessReview', '', spec),
      metadata: {},
    });

  async function review(spec: Asked, by = admin): Promise<Status> {
    const answer = await ask(spec, by);
    expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
    return parsed<{ status: Status }>(answer).status;
  }

  async function isAllowed({ user, groups }: Person, resourceAttributes: Asked): Promise<boolean> {
    const spec = { user, groups, resourceAttributes };
    const answer = await admin.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
    return parsed<{ status: { allowed: boolean } }>(answer).status.allowed;
  }

  async function bind(name: string, to: string, subjects: object[], namespace?: string): Promise<void> {
    const [kind = '', role = ''] = to.split('/');
    const place = namespace === undefined ? 'clusterrolebindings' : `namespaces/${namespace}/rolebindings`;
    const roleRef = { apiGroup: RBAC_GROUP, kind, name: role };
    await created(`${RBAC}/${place}`, { metadata: { name }, roleRef, subjects });
  }

  const by = (user: string): Client => client(running.server, keyOf.get(user));

  beforeAll(async () => {
    running = await start();
    const { server } = running;
    admin = client(server);
    const keys = accessKeys(server);
    const groupsOf: Readonly<Record<string, object>> = { dev: { groups: ['devs'] } };
    for (const name of ['ada', 'bob', 'mia', 'eve', 'dev', 'lee', 'nobody'])
      await keys.createUser(name, groupsOf[name]);
    await created(`${API}/teams`, bodyOf('Team', 'shop', { users: ['lee'], groups: ['devs'] }));
    await created(`${API}/teams`, bodyOf('Team', 'ops', { users: ['mia', 'eve'] }));
    for (const holder of ['ada', 'bob', 'mia', 'eve', 'dev', 'lee', 'nobody', 'shop', 'ops']) {
      const isTeam = ['shop', 'ops'].includes(holder);
      const { spec } = await keys.createKey(`${holder}-key`, isTeam ? { team: holder } : { user: holder });
      const key = spec.key as string;
      const [user = '', ...groups] = (await keys.whoIs(key)) as string[];
      people.set(holder, { user, groups });
      keyOf.set(holder, key);
    }
    const data = { password: 'aHVudGVyMg==' };
    await created(
      SECRETS,
      bodyOf('SharedSecret', 'db', { owner: { user: 'ada', team: 'ops' }, access: ACCESS, data }),
    );
    const members = [
      { kind: 'User', name: 'bob', clusterRole: 'management-project-user' },
      { kind: 'Team', name: 'shop', clusterRole: 'management-project-viewer' },
    ];
    await created(`${API}/projects`, bodyOf('Project', 'web', { owner: { user: 'ada' }, members }));
    const roles: readonly (readonly [string, object[], string?])[] = [
      ['everything', [rule(['*'], ['*'], { apiGroups: ['*'] })]],
      [
        'secrets',
        [rule(['get', 'list'], ['sharedsecrets', '*/status']), rule(['delete'], ['sharedsecrets'])],
      ],
      ['elsewhere', [rule(['get'], ['sharedsecrets'], { apiGroups: [''] })]],
      ['acting', [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['ada'] }]],
      ['secrets', [rule(['get'], ['sharedsecrets'], { resourceNames: ['db', 'absent'] })], 'default'],
      [
        'named',
        [
          {
            verbs: ['get'],
            apiGroups: [''],
            resources: ['secrets', 'namespaces'],
            resourceNames: ['named', 'default'],
          },
        ],
        'default',
      ],
      ['paths', [{ verbs: ['get'], nonResourceURLs: ['*'] }]],
    ];
    for (const [name, rules, namespace] of roles) {
      const place = namespace === undefined ? 'clusterroles' : `namespaces/${namespace}/roles`;
      await created(`${RBAC}/${place}`, { metadata: { name }, rules });
    }
    await bind('robots', 'ClusterRole/everything', [subject('ServiceAccount', 'robot', 'default')]);
    await bind('elsewhere', 'ClusterRole/elsewhere', [subject('User', 'nobody')]);
    await bind('paths', 'ClusterRole/paths', [subject('User', 'nobody')]);
    await bind('acting', 'ClusterRole/acting', [
      subject('Group', 'management:user:bob'),
      subject('User', 'bob'),
    ]);
    await bind('local', 'ClusterRole/secrets', [subject('Group', 'management:team:shop')], 'default');
    await bind(
      'own',
      'Role/secrets',
      [subject('ServiceAccount', 'ci', 'other'), subject('User', 'lee')],
      'default',
    );
    await bind(
      'named',
      'Role/named',
      [subject('Group', 'system:authenticated'), subject('User', 'management:team:ops')],
      'default',
    );
    await bind('dangling', 'Role/gone', [subject('User', 'nobody')], 'default');
    await bind('away', 'ClusterRole/everything', [subject('User', 'nobody')], 'kube-system');
    const account = (of: string, name: string): Person => ({
      user: `system:serviceaccount:${of}:${name}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${of}`, 'system:authenticated'],
    });
    people.set('robot', account('default', 'robot'));
    people.set('ci', account('other', 'ci'));
    people.set('another account', account('default', 'ci'));
    people.set('stranger', { user: 'stranger', groups: ['system:authenticated'] });
    people.set('anonymous', { user: 'system:anonymous', groups: ['system:unauthenticated'] });
    people.set('master', { user: 'root', groups: ['system:masters', 'system:authenticated'] });
    // Whoever is disabled keeps the rights, but has no credential.
    const merge = { 'content-type': 'application/merge-patch+json' };
    await admin.send('PATCH', `${API}/users/eve`, { spec: { disabled: true } }, merge);
    expect((await by('eve').send('GET', `${SECRETS}/db`)).status).toBe(401);
  });
  afterAll(() => running.remove());

  test.each(QUESTIONS.map((asked) => [Object.values(asked).join(' '), asked] as const))(
    'who can %s: whom a SubjectAccessReview allows it, and nobody else',
    async (_title, asked) => {
      const status = await review(asked);
      expect(status).toEqual({ allowed: true, ways: expect.anything() });
      const reviews = [...people].map(
        async ([name, person]) => [name, await isAllowed(person, asked)] as const,
      );
      const named = [...people].map(([name, person]) => [name, isNamed(status, person)] as const);
      expect(named).toEqual(await Promise.all(reviews));
    },
  );

  test('tells each way, through teams, by rules, bindings and roles, with what grants it', async () => {
    const status = await review({ ...SECRET, verb: 'get' });
    expect(told(status)).toEqual([
      'User ada < Owner spec.owner',
      ...['User mia', 'User eve', 'TeamKey ops'].map((who) => `${who} < Team ops < Owner spec.owner`),
      'User bob < AccessRule readers',
      'User gone < AccessRule readers',
      ...['User lee', 'Group devs', 'TeamKey shop'].map((who) => `${who} < Team shop < AccessRule readers`),
      'Team absent < AccessRule readers',
      'User mia < AccessRule spec.access[1]',
      'User bob < AccessRule again',
      ...['User lee', 'Group devs', 'TeamKey shop'].map(
        (who) => `${who} < Team shop < RoleBinding default/local < ClusterRole secrets`,
      ),
      'ServiceAccount other/ci < RoleBinding default/own < Role default/secrets',
      'User lee < RoleBinding default/own < Role default/secrets',
      'Group system:masters < ClusterRoleBinding cluster-admin < ClusterRole cluster-admin',
      'Group management:admins < ClusterRoleBinding management:admins < ClusterRole cluster-admin',
      'ServiceAccount default/robot < ClusterRoleBinding robots < ClusterRole everything',
    ]);
    expect(status.ways?.every(({ steps }) => steps.at(-1)?.verbs !== undefined)).toBe(true);
    const last = (way: Way | undefined): unknown => way?.steps.at(-1);
    expect(last(status.ways?.find(({ steps }) => steps.length === 4))).toMatchObject({
      verbs: ['get', 'list'],
    });
  });

  test('acts and namespaces are asked of as the server authorizes them', async () => {
    const acting = { verb: 'impersonate', group: GROUP, resource: 'users', name: 'ada' };
    const status = await review(acting);
    expect(status).toEqual(await review({ ...acting, group: '' }));
    // The group of a user has that user alone.
    expect(told(status)).toEqual(
      expect.arrayContaining(Array(2).fill('User bob < ClusterRoleBinding acting < ClusterRole acting')),
    );
    expect(told(status).join()).not.toContain('management:user:bob');
    const namespace = { verb: 'get', resource: 'namespaces', name: 'default' };
    expect(told(await review(namespace))).toContain(
      'Group system:authenticated < RoleBinding default/named < Role default/named',
    );
  });

  test('an owner is told what the secret says, and what else there may be', async () => {
    const status = await review({ ...SECRET, verb: 'update' }, by('ada'));
    expect(told(status)).toEqual([
      'User ada < Owner spec.owner',
      'Team ops < Owner spec.owner',
      'User mia < AccessRule spec.access[1]',
    ]);
    expect(status.unread).toEqual(['rolebindings', 'roles', 'clusterrolebindings', 'clusterroles', 'teams']);
    const member = await review({ ...SECRET, verb: 'update' }, by('mia'));
    expect(told(member)).toContain('User eve < Team ops < Owner spec.owner');
    expect(member.unread).not.toContain('teams');
  });

  test.each<[string, Asked]>([
    ['a secret', { ...SECRET, verb: 'get' }],
    ['a secret that is not there', { ...SECRET, verb: 'get', name: 'absent' }],
    ["somebody's key", { verb: 'get', group: GROUP, resource: 'ownedaccesskeys', name: 'ada-key' }],
  ])('nobody learns of %s that they may not read', async (_what, asked) => {
    const { allowed, ways, unread } = await review(asked, by('nobody'));
    expect([allowed, ways, unread?.includes('object')]).toEqual([false, [], true]);
  });

  test('rights in a namespace tell nothing of objects that lie in none', async () => {
    const key = { group: GROUP, resource: 'ownedaccesskeys', namespace: 'kube-system', name: 'ada-key' };
    const status = await review({ ...key, verb: 'get' }, by('nobody'));
    expect(status.allowed).toBe(true);
    expect(told(status).join()).not.toContain('Self');
  });

  test('who may not read a role is not told whether it grants the right', async () => {
    const rules = { apiGroups: [RBAC_GROUP], verbs: ['list'] };
    await allow(running.server, 'nobody', 'default', { ...rules, resources: ['rolebindings', 'roles'] });
    for (const verb of ['get', 'update']) {
      const status = await review({ ...SECRET, verb }, by('nobody'));
      const byRoles = told(status).filter((way) => way.includes('ClusterRole'));
      expect(byRoles).toEqual(['Team shop < RoleBinding default/local < ClusterRole secrets < ?']);
      expect(told(status).some((way) => way.includes('Role default/secrets'))).toBe(verb === 'get');
      expect(JSON.stringify(status.ways?.filter(({ uncertain }) => uncertain))).not.toContain('verbs');
      expect(status.unread).toEqual(['object', 'clusterrolebindings', 'clusterroles', 'teams']);
    }
  });

  test('a scope takes from what is told', async () => {
    const scope = { rules: [{ resources: [{ group: GROUP, resources: ['resourceaccessreviews'] }] }] };
    const key = { ...bodyOf('OwnedAccessKey', 'ada-narrow', { user: 'ada', scope }) };
    const made = await by('ada').send('POST', `${API}/ownedaccesskeys`, key);
    const narrow = client(running.server, parsed<{ spec: { key: string } }>(made).spec.key);
    const { ways, unread } = await review({ ...SECRET, verb: 'get' }, narrow);
    expect([ways, unread]).toEqual([
      [],
      ['object', ...['rolebindings', 'roles', 'clusterrolebindings', 'clusterroles']],
    ]);
  });

  test('who may not ask is told so, and who asks nothing, too', async () => {
    const { text } = await admin.send('POST', '/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'ci' },
    });
    expect(text).toContain('"ci"');
    const tokens = '/api/v1/namespaces/default/serviceaccounts/ci/token';
    const { status } = parsed<{ status: { token: string } }>(await admin.send('POST', tokens, { spec: {} }));
    const refused = await ask({ ...SECRET, verb: 'get' }, client(running.server, status.token));
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('resourceaccessreviews')]);
    const empty = await admin.send('POST', `${API}/resourceaccessreviews`, { metadata: {}, spec: {} });
    expect([empty.status, empty.text]).toEqual([422, expect.stringContaining('spec.verb')]);
    expect((await admin.send('GET', `${API}/resourceaccessreviews`)).status).toBe(405);
  });

  describe('with which objects somebody can do something', () => {
    type Objects = NonNullable<SubjectObjectsReview['status']>;
    const askObjects = (spec: object, by = admin): Promise<Answer> =>
      by.send('POST', `${API}/subjectobjectsreviews`, {
        ...bodyOf('SubjectObjectsReview', '', spec),
        metadata: {},
      });

    /** All pages. */
    async function objectsOf(spec: object, by = admin): Promise<Required<Objects>> {
      const answer = await askObjects(spec, by);
      expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
      const { status } = parsed<{ status: Required<Objects> }>(answer);
      if (status.continue === undefined) return status;
      const { objects, ...rest } = await objectsOf({ ...spec, continue: status.continue }, by);
      return { ...rest, objects: [...status.objects, ...objects] };
    }

    const placesOf = ({ objects }: Required<Objects>): string[] =>
      objects.map(({ resource, namespace = '', name }) => [resource, namespace, name].join(' '));

    /** All objects of the server that are asked about. */
    async function everyPlace(): Promise<string[]> {
      const resources = ['projects', 'sharedsecrets', 'projectsecrets', 'spaceinstances'];
      resources.push('virtualclusterinstances', 'clusters', 'ownedaccesskeys');
      const lists = resources.map(async (resource) => {
        const { items } = parsed<{ items: { metadata: { namespace?: string; name: string } }[] }>(
          await admin.send('GET', `${API}/${resource}`),
        );
        return items.map(({ metadata: { namespace = '', name } }) => [resource, namespace, name].join(' '));
      });
      return (await Promise.all(lists)).flat();
    }

    const SUBJECTS = ['ada', 'bob', 'mia', 'dev', 'lee', 'nobody', 'shop', 'ops'];
    test.each(SUBJECTS.flatMap((name) => ['get', 'update', 'use'].map((verb) => [name, verb] as const)))(
      '%s can %s: what a SubjectAccessReview allows, page by page',
      async (name, verb) => {
        const subject = ['shop', 'ops'].includes(name) ? { team: name } : { user: name };
        const person = people.get(name) ?? { user: '', groups: [] };
        const allowed: string[] = [];
        for (const place of await everyPlace()) {
          const [resource = '', namespace = '', called = ''] = place.split(' ');
          if (await isAllowed(person, { verb, group: GROUP, resource, namespace, name: called }))
            allowed.push(place);
        }
        const found = await objectsOf({ ...subject, verb, limit: 1 });
        expect(placesOf(found)).toEqual(allowed);
        expect(found.unread).toBeUndefined();
      },
    );

    test('tells by what, as who can does', async () => {
      const { objects } = await objectsOf({ user: 'lee' });
      const { ways } = objects.find(({ name }) => name === 'db') ?? {};
      expect(told({ ways: [...(ways ?? [])] })).toEqual([
        'Team shop < AccessRule readers',
        'Team shop < RoleBinding default/local < ClusterRole secrets',
        'User lee < RoleBinding default/own < Role default/secrets',
      ]);
    });

    test('tells only of what the caller sees, and by what the caller may read', async () => {
      // Mia may get the secret by its owner, and herself.
      const own = await objectsOf({ user: 'mia' }, by('mia'));
      expect(placesOf(own)).toEqual(['sharedsecrets default db', 'ownedaccesskeys  mia-key']);
      expect(told({ ways: [...(own.objects[0]?.ways ?? [])] })).toEqual([
        'Team ops < Owner spec.owner',
        'User mia < AccessRule spec.access[1]',
      ]);
      expect(own.unread).toEqual(['rolebindings', 'roles', 'clusterrolebindings', 'clusterroles']);
      const team = await objectsOf({ team: 'ops' }, by('mia'));
      expect(placesOf(team)).toEqual(['sharedsecrets default db']);
    });

    test('an object has ten ways, and says that there are more', async () => {
      const access = Array.from({ length: 11 }, () => ({ verbs: ['get'], users: ['nobody'] }));
      await created(
        SECRETS,
        bodyOf('SharedSecret', 'manifold', { owner: { user: 'ada' }, access, data: { a: '' } }),
      );
      const { objects } = await objectsOf({ user: 'nobody' }, by('nobody'));
      const found = objects.find(({ name }) => name === 'manifold');
      expect([found?.ways.length, found?.truncated]).toEqual([10, true]);
    });

    test.each([
      [{ user: 'bob' }, 403, 'users.management.svc.example \\"bob\\" is forbidden'],
      [{ user: 'absent' }, 403, 'users.management.svc.example \\"absent\\" is forbidden'],
      [{ team: 'shop' }, 403, 'teams.management.svc.example \\"shop\\" is forbidden'],
    ])('%j is refused to whoever may not get them, there or not', async (spec, status, why) => {
      const answer = await askObjects(spec, by('nobody'));
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(why)]);
    });

    test.each([
      [{}, 422, 'spec.user'],
      [{ user: 'ada', team: 'ops' }, 422, 'spec.team'],
      [{ user: 'ada', limit: 501 }, 422, 'spec.limit'],
      [{ user: 'ada', continue: 'AAAA' }, 422, 'spec.continue'],
      [{ user: 'absent' }, 404, 'not found'],
    ])('%j is answered with %i: %s', async (spec, status, why) => {
      const answer = await askObjects(spec);
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(why)]);
    });
  });

  test('an answer is bounded, and says that there is more', async () => {
    const crowd = Array.from({ length: 6_000 }, (_each, at) => subject('User', `person-${at}`));
    await created(`${RBAC}/clusterroles`, {
      metadata: { name: 'crowd' },
      rules: [rule(['crowd'], ['clusters'])],
    });
    for (const at of [0, 2_000, 4_000])
      await bind(`crowd-${at}`, 'ClusterRole/crowd', crowd.slice(at, at + 2_000));
    const asked = { verb: 'crowd', group: GROUP, resource: 'clusters' };
    const many = await review(asked);
    expect([many.ways?.length, many.truncated]).toEqual([5_000, true]);
    const verbs = Array.from({ length: 200 }, (_each, at) => `${at}`.padEnd(1_000, 'x'));
    await created(`${RBAC}/clusterroles`, {
      metadata: { name: 'long' },
      rules: [rule(['long', ...verbs], ['clusters'])],
    });
    await bind('long', 'ClusterRole/long', crowd.slice(0, 50));
    const long = await ask({ ...asked, verb: 'long' });
    expect(long.text.length).toBeLessThan(1_100_000);
    const { truncated, ways = [] } = parsed<{ status: Status }>(long).status;
    expect([truncated, ways.length < 50]).toEqual([true, true]);
  });
});
