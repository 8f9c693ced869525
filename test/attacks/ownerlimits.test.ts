/**
 * What limits the owner of an object the owner does not lift: each field of the table, by each verb that can change it. Who
 * has the right that the table names may, and the owner may tighten.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OWNER_LIMITS } from '../../pkg/admission/ownerlimits/limits.js';
import type { Actor, Reply, Rule } from '../fixtures/acting.js';
import { acting, allow } from '../fixtures/acting.js';
import type { EngineServer } from '../fixtures/engines.js';
import { ENGINES } from '../fixtures/engines.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;

type Spec = Record<string, unknown>;

interface Limited {
  readonly kind: 'Project' | 'OwnedAccessKey';
  readonly member: string;
  /** Set by an administrator; the owner is anna. */
  readonly value: unknown;
  /** What would loosen it; null takes it out. */
  readonly looser: readonly unknown[];
  readonly tighter: unknown;
  /** What lets another, who may update these objects, loosen it. */
  readonly right: Rule;
}

const PLURALS = { Project: 'projects', OwnedAccessKey: 'ownedaccesskeys' } as const;
const rule = (resource: string, verb: string): Rule => ({
  ...{ apiGroups: [GROUP], resources: [resource], verbs: [verb] },
});

const LIMITED: readonly Limited[] = [
  {
    kind: 'Project',
    member: 'allowedClusters',
    value: [{ name: 'east' }],
    looser: [[{ name: '*' }], [{ name: 'east' }, { name: 'west' }], [{ name: 'west' }]],
    tighter: [],
    right: rule('clusters', 'use'),
  },
  {
    kind: 'Project',
    member: 'quotas',
    value: {
      instances: 1,
      secretBytes: 10,
      objects: { configmaps: 1, 'sharedsecrets.management.svc.example': 2 },
    },
    looser: [
      null,
      {},
      {
        instances: 2,
        secretBytes: 10,
        objects: { configmaps: 1, 'sharedsecrets.management.svc.example': 2 },
      },
      { secretBytes: 10, objects: { configmaps: 1, 'sharedsecrets.management.svc.example': 2 } },
      {
        instances: 0,
        secretBytes: 11,
        objects: { configmaps: 1, 'sharedsecrets.management.svc.example': 2 },
      },
      { instances: 1, secretBytes: 10, objects: { 'sharedsecrets.management.svc.example': 2 } },
      { instances: 1, secretBytes: 10 },
    ],
    tighter: {
      ...{ instances: 0, secretBytes: 10 },
      objects: { configmaps: 1, 'sharedsecrets.management.svc.example': 2, secrets: 1 },
    },
    right: rule('projects/quotas', 'update'),
  },
  {
    kind: 'OwnedAccessKey',
    member: 'disabled',
    value: true,
    looser: [null, false],
    tighter: true,
    right: rule('ownedaccesskeys/disabled', 'update'),
  },
];

const VERBS = [
  'PUT',
  'merge',
  'json',
  'strategic',
  'apply',
  'apply as another',
  'status',
  'PUT status',
] as const;
type Verb = (typeof VERBS)[number];

/** What is answered where it is not always a refusal: an apply takes nothing out that another manager has too. */
const STATUSES: Partial<Record<Verb, readonly number[]>> = {
  strategic: [403, 415],
  apply: [200, 403],
  'apply as another': [200, 403],
  status: [200, 403],
  'PUT status': [200, 403],
};

test('each field of the table is tried', () => {
  const tried = LIMITED.map(({ kind, member }) => `${kind} spec.${member}`);
  expect(tried).toEqual(OWNER_LIMITS.map(({ kind, path }) => `${kind} ${path}`));
});

describe.each(ENGINES)('on %s', (_engine, start) => {
  let on: EngineServer;
  let admin: Actor;
  let anna: Actor;

  const pathOf = ({ kind }: Limited, name: string): string => `${API}/${PLURALS[kind]}/${name}`;
  const ownersSpec = ({ kind }: Limited): Spec =>
    kind === 'Project' ? { owner: { user: 'anna' } } : { user: 'anna' };
  const objectOf = ({ kind }: Limited, name: string, spec: Spec): object => ({
    ...{ kind, apiVersion: `${GROUP}/v1`, metadata: { name }, spec },
  });

  async function made(limited: Limited, name: string): Promise<void> {
    const spec = { ...ownersSpec(limited), [limited.member]: limited.value };
    const path = `${pathOf(limited, name)}?fieldManager=base`;
    const { status, body } = await admin.send('PATCH', path, objectOf(limited, name, spec), APPLY);
    expect([status, status < 300 ? '' : body]).toEqual([201, '']);
  }

  const valueOf = async (limited: Limited, name: string): Promise<unknown> =>
    (await admin.send<{ spec: Spec }>('GET', pathOf(limited, name))).body.spec[limited.member];

  async function write(by: Actor, verb: Verb, limited: Limited, name: string, to: unknown): Promise<Reply> {
    const { member } = limited;
    const path = pathOf(limited, name);
    const whole = objectOf(limited, name, { ...ownersSpec(limited), ...(to !== null && { [member]: to }) });
    switch (verb) {
      case 'PUT':
      case 'PUT status': {
        const { body } = await admin.send<{ spec: Spec }>('GET', path);
        const { [member]: _, ...rest } = body.spec;
        const spec = { ...rest, ...(to !== null && { [member]: to }) };
        return by.send('PUT', verb === 'PUT' ? path : `${path}/status`, { ...body, spec });
      }
      case 'merge':
      case 'strategic':
        // The members of a map that a merge leaves out stay: a null takes each out.
        return by.send(
          'PATCH',
          path,
          { spec: { [member]: to === null ? null : nulled(limited.value, to) } },
          `application/${verb === 'merge' ? verb : 'strategic-merge'}-patch+json`,
        );
      case 'json': {
        const op = to === null ? { op: 'remove' } : { op: 'replace', value: to };
        return by.send('PATCH', path, [{ ...op, path: `/spec/${member}` }], 'application/json-patch+json');
      }
      case 'apply':
        return by.send('PATCH', `${path}?fieldManager=base&force=true`, whole, APPLY);
      case 'apply as another':
        return by.send('PATCH', `${path}?fieldManager=other&force=true`, whole, APPLY);
      case 'status':
        return by.send('PATCH', `${path}/status`, { spec: { [member]: to }, status: {} });
    }
  }

  beforeAll(async () => {
    on = await start();
    admin = acting(on.server);
    anna = acting(on.server, 'anna', ['management:authenticated']);
    for (const name of ['east', 'west'])
      await admin.send('POST', `${API}/clusters`, { metadata: { name }, spec: {} });
    for (const { kind, member, right } of LIMITED) {
      const may = rule(PLURALS[kind], '*');
      await allow(on.server, `changer-${member}`, '', may);
      await allow(on.server, `holder-${member}`, '', may, right);
      if (kind === 'OwnedAccessKey')
        for (const who of [`changer-${member}`, `holder-${member}`])
          await allow(on.server, who, '', { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] });
    }
  }, 60_000);
  afterAll(() => on.remove());

  describe.each(LIMITED)('$kind spec.$member', (limited) => {
    const { member, kind, value, looser, tighter } = limited;
    const name = member.toLowerCase();

    test('is not loosened by the owner, nor by who may update projects', async () => {
      await made(limited, name);
      const before = await valueOf(limited, name);
      const changer = acting(on.server, `changer-${member}`);
      for (const by of kind === 'Project' ? [anna, changer] : [anna])
        for (const to of looser)
          for (const verb of VERBS) {
            const { status, body } = await write(by, verb, limited, name, to);
            const allowed = STATUSES[verb] ?? [403];
            expect([verb, to, allowed.includes(status) ? '' : [status, JSON.stringify(body.spec)]]).toEqual([
              verb,
              to,
              '',
            ]);
            expect([verb, to, await valueOf(limited, name)]).toEqual([verb, to, before]);
          }
    });

    test.each(['PUT', 'merge', 'json', 'apply'] as const)(
      'is tightened by the owner, and loosened with the right, by %s',
      async (verb) => {
        const one = `${name}-${verb.toLowerCase()}`;
        await made(limited, one);
        const tightened = await write(anna, verb, limited, one, tighter);
        expect([tightened.status, tightened.status === 200 ? '' : tightened.body]).toEqual([200, '']);
        const holder = acting(on.server, `holder-${member}`);
        const loosened = await write(holder, verb, limited, one, looser[0]);
        expect([loosened.status, loosened.status === 200 ? '' : loosened.body]).toEqual([200, '']);
        expect(await valueOf(limited, one)).not.toEqual(value);
      },
    );

    test('is sent back as it was, beside another change', async () => {
      const { body } = await anna.send<{ spec: Spec }>('GET', pathOf(limited, name));
      const spec = { ...body.spec, description: 'of mine' };
      expect((await anna.send('PUT', pathOf(limited, name), { ...body, spec })).status).toBe(200);
    });

    if (kind === 'Project')
      test('is not handed to a friend as a right of its own', async () => {
        for (const subresource of ['quotas', 'finalizers'])
          for (const access of [
            [{ verbs: ['update'], subresources: [subresource], users: ['anna'] }],
            [{ verbs: ['*'], subresources: ['*', subresource], users: ['friend'] }],
          ]) {
            const { status } = await anna.send('PATCH', pathOf(limited, name), { spec: { access } });
            expect([subresource, status]).toEqual([subresource, 403]);
          }
        const everything = [{ verbs: ['*'], subresources: ['*'], users: ['friend'] }];
        const given = await anna.send('PATCH', pathOf(limited, name), { spec: { access: everything } });
        expect(given.status).toBe(200);
        const friend = acting(on.server, 'friend');
        expect((await write(friend, 'merge', limited, name, looser[0])).status).toBe(403);
        expect(await valueOf(limited, name)).toEqual(value);
        const named = [{ ...everything[0], subresources: ['quotas'] }];
        const later = await anna.send('PATCH', pathOf(limited, name), { spec: { access: named } });
        expect(later.status).toBe(403);
      });
  });

  test('a new project names only clusters that its creator may use', async () => {
    await allow(on.server, 'maker', '', rule('projects', '*'));
    await allow(on.server, 'user-of-east', '', rule('projects', '*'), {
      ...rule('clusters', 'use'),
      resourceNames: ['east'],
    });
    const make = (who: string, name: string, clusters: string[]): Promise<Reply> =>
      acting(on.server, who).send('POST', `${API}/projects`, {
        metadata: { name },
        spec: { allowedClusters: clusters.map((cluster) => ({ name: cluster })), owner: { user: who } },
      });
    const answers = [
      await make('maker', 'n1', ['*']),
      await make('maker', 'n2', ['east']),
      await make('user-of-east', 'n3', ['*']),
      await make('user-of-east', 'n4', ['east', 'west']),
      await make('user-of-east', 'n5', ['east']),
      await make('maker', 'n6', []),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 201, 201]);
    const put = await acting(on.server, 'maker').send('PUT', `${API}/projects/n7`, {
      ...{ kind: 'Project', apiVersion: `${GROUP}/v1`, metadata: { name: 'n7' } },
      spec: { allowedClusters: [{ name: '*' }] },
    });
    expect([403, 404]).toContain(put.status);
  });

  test('who disabled a key may enable it', async () => {
    const path = `${API}/ownedaccesskeys/own`;
    const key = { metadata: { name: 'own' }, spec: { user: 'anna' } };
    expect((await anna.send('POST', `${API}/ownedaccesskeys`, key)).status).toBe(201);
    const annotations = { [`${GROUP}/disabled-by`]: 'anna' };
    for (const disabled of [true, false])
      expect((await anna.send('PATCH', path, { spec: { disabled } })).status).toBe(200);
    expect((await admin.send('PATCH', path, { spec: { disabled: true } })).status).toBe(200);
    expect((await anna.send('PATCH', path, { metadata: { annotations } })).status).toBe(200);
    const both = { metadata: { annotations }, spec: { disabled: false } };
    expect((await anna.send('PATCH', path, both)).status).toBe(403);
    expect((await anna.send('PATCH', path, { spec: { disabled: false } })).status).toBe(403);
  });
});

const APPLY = 'application/apply-patch+yaml';

/** What a merge patch must say to make `to` of `from`. */
function nulled(from: unknown, to: unknown): unknown {
  if (!isMap(from) || !isMap(to)) return to;
  const gone = Object.keys(from).filter((member) => !Object.hasOwn(to, member));
  const kept = Object.entries(to).map(([member, value]) => [member, nulled(from[member], value)]);
  return Object.fromEntries([...kept, ...gone.map((member) => [member, null])]) as unknown;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
