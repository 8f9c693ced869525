/** A create with an existing name gets AlreadyExists, even if the object is invalid, too, and writes nothing. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { fetchFrom, type Answer } from '../../fixtures/servers/server.js';

const MANAGEMENT = '/apis/management.svc.example/v1';
const DEFAULT = '/api/v1/namespaces/default';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

interface Resource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

const KUBERNETES: [string, object][] = [
  [`${DEFAULT}/configmaps`, {}],
  [`${DEFAULT}/secrets`, {}],
  [`${DEFAULT}/serviceaccounts`, {}],
  ['/api/v1/namespaces', {}],
  [`${DEFAULT}/events`, { involvedObject: { namespace: 'default' } }],
  ['/apis/coordination.k8s.io/v1/namespaces/default/leases', {}],
  [`${RBAC}/clusterroles`, {}],
  [`${RBAC}/namespaces/default/roles`, {}],
];

const RULE = { spec: { values: ['crew'], project: 'web', clusterRole: 'management-project-user' } };

let engine: EngineServer;
const send = (method: string, path: string, body?: object): Promise<Answer> =>
  fetchFrom(`${engine.server.url}${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });

/** Expects AlreadyExists for every create of `dup` but the first, and no change. */
async function expectTaken(collection: string, members: object, others: object[] = []): Promise<void> {
  const object = { ...members, metadata: { name: 'dup' } };
  expect(await send('POST', collection, object)).toMatchObject({ status: 201 });
  // Controllers may write the status meanwhile.
  const stored = async (): Promise<object> => {
    const { metadata, ...said } = JSON.parse((await send('GET', `${collection}/dup`)).text) as KubeObject;
    return { ...said, status: undefined, metadata: { ...metadata, resourceVersion: undefined } };
  };
  const before = await stored();
  for (const again of [object, ...others.map((other) => ({ ...other, metadata: { name: 'dup' } }))])
    for (const query of ['', '?dryRun=All', '?fieldValidation=Strict']) {
      const answer = await send('POST', collection + query, again);
      const plural = collection.split('/').pop() as string;
      expect(JSON.parse(answer.text)).toMatchObject({
        code: 409,
        reason: 'AlreadyExists',
        message: expect.stringMatching(`^${plural}[a-z0-9.]* "dup" already exists$`) as unknown,
        details: { name: 'dup', kind: plural },
      });
    }
  expect(await stored()).toEqual(before);
  expect(await send('POST', collection, { ...members, metadata: { name: 'other' } })).toMatchObject({
    status: 201,
  });
}

beforeAll(async () => {
  engine = await startEmbedded();
  expect(await send('POST', `${MANAGEMENT}/projects`, { metadata: { name: 'web' } })).toMatchObject({
    status: 201,
  });
});
afterAll(() => engine.remove());

test('kinds of the management group that are kept', async () => {
  const { resources } = JSON.parse((await send('GET', MANAGEMENT)).text) as { resources: Resource[] };
  // Kinds that can only be created store their objects under another name than the given one.
  const kept = resources.filter(
    ({ name, verbs }) =>
      !name.includes('/') && ['create', 'list', 'update'].every((verb) => verbs.includes(verb)),
  );
  expect(kept.length).toBeGreaterThan(8);
  for (const { name, namespaced } of kept) {
    const others =
      name === 'projects'
        ? [{ spec: { members: [{ kind: 'User', name: 'nobody', clusterRole: 'admin' }] } }]
        : [];
    const members = name === 'grouprules' ? RULE : {};
    await expectTaken(`${MANAGEMENT}${namespaced ? '/namespaces/loft-p-web' : ''}/${name}`, members, others);
  }
});

test.each(KUBERNETES)('%s', (collection, members) => expectTaken(collection, members));

test('a project that is on its way out', async () => {
  const projects = `${MANAGEMENT}/projects`;
  await send('POST', projects, { metadata: { name: 'leaving', finalizers: ['a/b'] } });
  await send('DELETE', `${projects}/leaving`);
  const answer = JSON.parse((await send('POST', projects, { metadata: { name: 'leaving' } })).text) as object;
  const message = 'object is being deleted: projects.management.svc.example "leaving" already exists';
  expect(answer).toMatchObject({ reason: 'AlreadyExists', message });
});

test('a namespace without a project is another conflict', async () => {
  await send('POST', '/api/v1/namespaces', { metadata: { name: 'loft-p-mine' } });
  for (const query of ['', '?dryRun=All']) {
    const answer = await send('POST', `${MANAGEMENT}/projects${query}`, { metadata: { name: 'mine' } });
    expect(JSON.parse(answer.text)).toMatchObject({ code: 409, reason: 'Conflict' });
  }
});
