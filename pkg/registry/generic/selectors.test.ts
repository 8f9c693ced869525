import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { Namespace } from '../../../api/core/v1/namespace.js';
import { defineResource } from '../../../api/resource.js';
import { parseListOptions, type ListOptions } from '../../apimachinery/options/list.js';
import { parseQuery } from '../../apimachinery/options/query.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import { createObject } from './create.js';
import { listObjects, type Page } from './list.js';
import { openRegistry, type Registry } from '../registry.js';
import type { ResourceStore } from '../resourcestore.js';
import { EVERYTHING } from '../visibilityfilter.js';
import { parseSelection } from './selectionpredicate.js';

/** A kind with a selectable field of its own. */
const Lamp = defineResource({
  group: 'test.example',
  version: 'v1',
  kind: 'Lamp',
  plural: 'lamps',
  namespaced: true,
  selectableFields: ['spec.colour'],
  description: 'A lamp.',
  schema: Type.Object({ spec: Type.Optional(Type.Object({ colour: Type.Optional(Type.String()) })) }),
});

let directory: string;
let storage: Storage;
let registry: Registry;
let lamps: ResourceStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'selectors-'));
  storage = await openEmbedded({ directory });
  const everything = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };
  registry = await openRegistry(storage, [{ definition: Namespace }, { definition: Lamp }], () => everything);
  const [namespaces, second] = registry.stores as [ResourceStore, ResourceStore];
  lamps = second;
  const options = {
    requester: { name: 'u', uid: '', groups: [], extra: {} },
    dryRun: false,
    warn: () => undefined,
    fieldManager: '',
  };
  for (const name of ['a', 'b']) {
    await createObject(namespaces, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }, options);
    for (let at = 0; at < 12; at += 1) {
      const colour = ['red', 'blue', ''][at % 3];
      const metadata = { name: `lamp-${at}`, labels: { even: at % 2 === 0 ? 'yes' : 'no', of: name } };
      const lamp = {
        kind: 'Lamp',
        apiVersion: 'test.example/v1',
        metadata,
        spec: colour === '' ? {} : { colour },
      };
      await createObject(lamps, name, lamp, options);
    }
  }
  await lamps.cache.reach(await storage.currentRevision(), 5000);
});

afterAll(async () => {
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

async function list(namespace: string, query: string): Promise<{ page: Page; paths: string[] }> {
  const options: ListOptions = parseListOptions(parseQuery(query));
  const selection = parseSelection(Lamp, options);
  const page = await listObjects(lamps, { namespace, options, selection, view: EVERYTHING });
  return { page, paths: Array.from(page.entries, ({ path }) => path) };
}

const numbers = (where: (at: number) => boolean): number[] =>
  Array.from({ length: 12 }, (_, at) => at).filter(where);
const paths = (namespaces: string[], where: (at: number) => boolean): string[] =>
  namespaces.flatMap((namespace) => numbers(where).map((at) => `${namespace}/lamp-${at}`)).sort();

test.each<[string, string, string[]]>([
  ['a', 'labelSelector=even=yes', paths(['a'], (at) => at % 2 === 0)],
  ['', 'labelSelector=even in (no)', paths(['a', 'b'], (at) => at % 2 === 1)],
  ['', 'labelSelector=even=yes,of=b', paths(['b'], (at) => at % 2 === 0)],
  ['', 'labelSelector=even!=yes', paths(['a', 'b'], (at) => at % 2 === 1)],
  ['', 'labelSelector=even=perhaps', []],
  ['', 'labelSelector=absent=', []],
  ['a', 'fieldSelector=spec.colour=red', paths(['a'], (at) => at % 3 === 0)],
  ['a', 'fieldSelector=spec.colour=', paths(['a'], (at) => at % 3 === 2)],
  ['', 'fieldSelector=spec.colour!=red,metadata.namespace=b', paths(['b'], (at) => at % 3 !== 0)],
  ['', 'fieldSelector=spec.colour=red&labelSelector=even=no', paths(['a', 'b'], (at) => at % 6 === 3)],
  ['', 'fieldSelector=metadata.name=lamp-3', ['a/lamp-3', 'b/lamp-3']],
  ['b', 'fieldSelector=metadata.name=lamp-3', ['b/lamp-3']],
  ['b', 'fieldSelector=metadata.name=lamp-3&labelSelector=even=yes', []],
  ['b', 'fieldSelector=metadata.name=lamp-3,metadata.namespace=a', []],
  ['', 'fieldSelector=metadata.namespace=a&labelSelector=even=yes', paths(['a'], (at) => at % 2 === 0)],
])('in %j, %s', async (namespace, query, expected) => {
  const encoded = query.replace(
    /=(.*?)(&|$)/g,
    (_, value: string, end: string) => `=${encodeURIComponent(value)}${end}`,
  );
  expect((await list(namespace, encoded)).paths).toEqual(expected);
});

test('pages through selected objects', async () => {
  const query = 'limit=2&labelSelector=even%3Dyes';
  const found: string[] = [];
  let token = '';
  do {
    const { page, paths: some } = await list('', token === '' ? query : `${query}&continue=${token}`);
    expect(some.length).toBeLessThanOrEqual(2);
    found.push(...some);
    token = page.rest().continue ?? '';
  } while (token !== '');
  expect(found).toEqual(paths(['a', 'b'], (at) => at % 2 === 0));
});

test.each([
  ['spec.size', 'field label not supported: spec.size'],
  ['spec', 'field label not supported: spec'],
])('refuses the unknown field %s', (field, message) => {
  expect(() =>
    parseSelection(Lamp, { labelSelector: '', fieldSelector: `${field}=x`, shardSelector: '' }),
  ).toThrow(expect.objectContaining({ code: 400, message: expect.stringContaining(message) }));
});
