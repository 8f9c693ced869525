/** Invalid input at every endpoint: the response is an error of the client (4xx), and never an error of the server. */
import { Agent } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { fetchFrom, type Answer } from '../../fixtures/servers/server.js';

interface Resource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly kind: string;
}

const MANAGEMENT = '/apis/management.svc.example/v1';
const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  'x'.repeat(300),
  '\u0000',
  '\ud800',
  [],
  [null],
  [[]],
  {},
  [{}],
  { '': { '': '' } },
  { constructor: {}, __proto__: {} },
];
const MEMBERS = [
  'metadata',
  'spec',
  'status',
  'data',
  'rules',
  'roleRef',
  'subjects',
  'involvedObject',
  'secrets',
  'metadata.labels',
  'metadata.finalizers',
  'metadata.ownerReferences',
  'metadata.managedFields',
  'metadata.creationTimestamp',
  'metadata.resourceVersion',
  'spec.access',
  'spec.owner',
  'spec.user',
  'spec.quotas',
  'spec.members',
  'spec.scope',
  'spec.ttl',
  'spec.key',
  'spec.clusterRef',
  'spec.config',
  'spec.template',
  'spec.resourceAttributes',
  'spec.audiences',
  'spec.token',
  'spec.boundObjectRef',
];
const TEXTS = [
  '',
  '{',
  '[',
  '}',
  '"',
  'null',
  '\u0000',
  '{"a":1}{"b":2}',
  'a: [b',
  '- - - -',
  '&a [*a]',
  '<<: *x',

  '!!js/function x',
  'k8s\u0000',
  '[{"op":5}]',
  '[{"op":"move","path":"/a","from":5}]',
  '[[]]',
  '"\\ud800"',
];
const TYPES = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  ...['merge-patch+json', 'json-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'].map(
    (type) => `application/${type}`,
  ),
];
const QUERIES = [
  'dryRun=x',
  'fieldValidation=x',
  'limit=-1',
  'continue=x',
  'propagationPolicy=x',
  'resourceVersion=-1',
  'gracePeriodSeconds=-5',
  'labelSelector=%2C%2C',
  'fieldSelector=a%3Db',
  'timeoutSeconds=-9&watch=x',
  'resourceVersion=99999999999999999999',
  'resourceVersionMatch=Exact',
  'includeObject=x',
  'pretty=x',
];

/** Each resource is tested with a third of the list, the next resources with the others. */
const third = <T>(list: readonly T[], place: number): T[] =>
  list.filter((_item, index) => (index + place) % 3 === 0);

function objectWith(member: string, value: unknown, base: object): object {
  const [first = '', second] = member.split('.');
  const object = structuredClone(base) as Record<string, unknown>;
  if (second === undefined) object[first] = value;
  else object[first] = { ...(object[first] as object | undefined), [second]: value };
  return object;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
let engine: EngineServer;
let resources: { readonly path: string; readonly apiVersion: string; readonly resource: Resource }[];
const failures: string[] = [];

async function send(method: string, path: string, body?: string, type = TYPES[0] as string): Promise<Answer> {
  const options = { method, agent, headers: { 'content-type': type } };
  const answer = await fetchFrom(engine.server.url + path, {
    ...options,
    ...(body !== undefined && { body }),
  });
  if (answer.status >= 500) failures.push(`${method} ${path} ${type} ${body ?? ''}: ${answer.text}`);
  return answer;
}

beforeAll(async () => {
  engine = await startEmbedded();
  await send('POST', `${MANAGEMENT}/projects`, '{"metadata":{"name":"web"}}');
  const { groups } = JSON.parse((await send('GET', '/apis')).text) as {
    groups: { preferredVersion: { groupVersion: string } }[];
  };
  const roots = groups.map(({ preferredVersion: { groupVersion } }) => [
    `/apis/${groupVersion}`,
    groupVersion,
  ]);
  resources = [];
  for (const [root = '', apiVersion = ''] of [['/api/v1', 'v1'], ...roots]) {
    const list = JSON.parse((await send('GET', root)).text) as { resources: Resource[] };
    for (const resource of list.resources) {
      const [plural, subresource] = resource.name.split('/');
      const within = resource.namespaced ? '/namespaces/loft-p-web' : '';
      const object = subresource === undefined ? '' : `/a/${subresource}`;
      resources.push({ path: `${root}${within}/${plural}${object}`, apiVersion, resource });
    }
  }
  expect(resources.length).toBeGreaterThan(30);
});
afterAll(async () => {
  agent.destroy();
  await engine.remove();
});

test('members of wrong types, invalid bodies and queries are refused', async () => {
  let turn = 0;
  const next = <T>(list: readonly T[]): T => list[(turn += 1) % list.length] as T;
  const work = resources.map(({ path, apiVersion, resource }, place) => async () => {
    const base = { apiVersion, kind: resource.kind, metadata: { name: 'a' } };
    const isObject = resource.name.includes('/');
    if (!isObject) await send('POST', path, JSON.stringify(base));
    for (const member of third(MEMBERS, place)) {
      const body = JSON.stringify(objectWith(member, next(JUNK), base));
      await send(isObject ? next(['PUT', 'POST']) : 'POST', `${path}?dryRun=All`, body);
      const patched = JSON.stringify(objectWith(member, next(JUNK), {}));
      await send('PATCH', isObject ? path : `${path}/a`, patched, TYPES[next([4, 6])]);
      await send('PATCH', `${path}/a?fieldManager=m&force=true`, body, TYPES[7]);
    }
    for (const text of third(TEXTS, place)) {
      await send(next(['POST', 'PUT']), next([path, `${path}/a`]), text, next(TYPES));
      await send('PATCH', isObject ? path : `${path}/a`, text, TYPES[next([4, 5, 6, 7])]);
    }
    for (const query of third(QUERIES, place))
      await send(next(['GET', 'DELETE', 'OPTIONS']), `${path}/a?${query}`);
    for (const query of third(QUERIES, place))
      if (!query.includes('watch')) await send('GET', `${path}?${query}`);
  });
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let job = work.pop(); job !== undefined; job = work.pop()) await job();
    }),
  );
  expect(failures).toEqual([]);
  expect(engine.server.log()).not.toMatch(/"level":"(error|fatal)"/);
  // Valid requests still succeed.
  const body = JSON.stringify({ metadata: { name: 'well' }, data: { a: 'b' } });
  expect(await send('POST', '/api/v1/namespaces/default/configmaps', body)).toMatchObject({ status: 201 });
});
