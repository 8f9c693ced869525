/** Creates each example of docs/reference/api.md on a server. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { accessKeys } from '../../fixtures/clients/accesskeys.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const MANAGEMENT = '/apis/management.svc.example/v1';
const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

interface Example {
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

/** The path, or the subresource of a kind, in each section of the page. */
const SECTIONS = new Map(
  read('docs/reference/api.md')
    .split(/^## /m)
    .map((text) => [text.split('\n', 1)[0] ?? '', text]),
);

/** In the order of the page, in which they are created. */
const examples = parseAllDocuments(read('hack/reference/examples.yaml')).map(
  (document) => document.toJS() as Example,
);

function pathOf({ kind, metadata: { name = '', namespace = '' } }: Example): string {
  const section = SECTIONS.get(kind) ?? '';
  const [, path] = /^- path: `([^`]+)`$/m.exec(section) ?? [];
  if (path !== undefined) return path.replace('NAMESPACE', namespace);
  const [, parent, subresource] = /Subresource of `(\w+)\/(\w+)`/.exec(section) ?? [];
  if (parent === 'clusters') return `${MANAGEMENT}/clusters/east/${subresource}`;
  return parent === 'projects'
    ? `${MANAGEMENT}/projects/${name}/${subresource}`
    : `${MANAGEMENT}/namespaces/loft-p-web/${parent}/preview/${subresource}`;
}

let server: ServerFixture;
let admin: Client;
beforeAll(async () => {
  server = await startServer();
  admin = client(server);
  const project = { metadata: { name: 'shop' }, spec: { allowedClusters: [{ name: '*' }] } };
  expect((await admin.send('POST', `${MANAGEMENT}/projects`, project)).status).toBe(201);
});
afterAll(() => server.remove());

/** Direct tokens are only for Users. */
const AS_USER = ['DirectClusterEndpointToken'];
/** The errors without a cluster that has virtual clusters. */
const WITHOUT_CLUSTER = new Map([
  ['ClusterJoin', '\\"agent-east\\" not found'],
  ['ProjectImportVirtualCluster', 'cluster \\"east\\" has no kubeconfig'],
  ['VirtualClusterInstanceKubeConfig', 'has no ingress endpoint'],
]);

test('the server takes every example on the page', async () => {
  for (const example of examples) {
    expect(SECTIONS.get(example.kind)).toContain(`kind: ${example.kind}\n`);
    const { kind } = example;
    const sender = AS_USER.includes(kind) ? await userClient() : admin;
    const { status, text } = await sender.send('POST', pathOf(example), example);
    const refusal = WITHOUT_CLUSTER.get(kind);
    const taken = refusal === undefined ? status === 201 : text.includes(refusal);
    expect({ kind, taken, text: taken ? '' : text }).toEqual({ kind, taken: true, text: '' });
  }
});

async function userClient(): Promise<Client> {
  const { spec } = await accessKeys(server).createKey('annas', { user: 'anna' });
  return client(server, spec.key as string);
}
