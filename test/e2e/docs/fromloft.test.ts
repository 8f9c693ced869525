/** Objects of Loft that hack/loft converts, and this server accepts. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseAllDocuments, stringify } from 'yaml';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const MAIN = fileURLToPath(new URL('../../../hack/loft/main.mjs', import.meta.url));
const APIS = '/apis/management.svc.example/v1';

interface Converted {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const object = (kind: string, metadata: object, spec: object): object => ({
  apiVersion: 'management.loft.sh/v1',
  kind,
  spec,
  status: { conditions: [] },
  metadata: { uid: 'u', resourceVersion: '7', generation: 1, finalizers: ['loft.sh/cleanup'], ...metadata },
});
const LABELS = { 'loft.sh/sharedsecret-name': 'db', 'loft.sh/sharedsecret-namespace': 'default', team: 'x' };
const GIVEN = [
  object('ProjectSecret', { name: 'copy', namespace: 'p-web', labels: LABELS }, { data: { a: 'Yg==' } }),
  object('SharedSecret', { name: 'db', namespace: 'default' }, { displayName: 'DB', data: { a: 'Yg==' } }),
  object(
    'Project',
    { name: 'web', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', note: 'y' } },
    {
      displayName: 'Web',
      argoCD: { enabled: true },
      members: [{ kind: 'User', name: 'ann', group: 'x', clusterRole: 'loft-management-project-user' }],
    },
  ),
  object('User', { name: 'ann' }, { username: 'ann', email: 'ann@example.com' }),
  object('OwnedAccessKey', { name: 'key' }, { key: 'PLANTED' }),
  object('DevPodWorkspaceTemplate', { name: 'template' }, {}),
];

const convert = (input: string, ...args: string[]) =>
  spawnSync(process.execPath, [MAIN, ...args], { input, encoding: 'utf8' });
const objectsIn = (text: string): Converted[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Converted);

let server: ServerFixture;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server);
});
afterAll(() => server.remove());

test('converts a list in the order to apply it in, and reports what it leaves out', () => {
  const { stdout, stderr, status } = convert(stringify({ apiVersion: 'v1', kind: 'List', items: GIVEN }));
  expect(status).toBe(0);
  const objects = objectsIn(stdout);
  expect(objects.map(({ kind }) => kind)).toEqual(['User', 'Project', 'SharedSecret', 'ProjectSecret']);
  expect(objects[1]).toEqual({
    apiVersion: 'management.svc.example/v1',
    kind: 'Project',
    metadata: { name: 'web', annotations: { note: 'y' } },
    spec: {
      displayName: 'Web',
      members: [{ kind: 'User', name: 'ann', clusterRole: 'management-project-user' }],
    },
  });
  expect(objects[3]?.metadata).toEqual({
    name: 'copy',
    namespace: 'loft-p-web',
    labels: {
      'management.svc.example/sharedsecret-name': 'db',
      'management.svc.example/sharedsecret-namespace': 'default',
      team: 'x',
    },
  });
  expect(objects[3]).toMatchObject({ spec: {} });
  expect(stderr).toContain('Project web: spec.argoCD is left out: this server does not have it\n');
  expect(stderr).toContain('Project web: spec.members[0].group is left out');
  expect(stderr).toContain('OwnedAccessKey key: left out: values of access keys cannot be moved');
  expect(stderr).toContain('DevPodWorkspaceTemplate template: left out');
  expect(stdout + stderr).not.toContain('PLANTED');
});

test('the server takes the converted objects', async () => {
  const { stdout } = convert(GIVEN.map((one) => stringify(one)).join('---\n'));
  for (const given of objectsIn(stdout)) {
    const { namespace } = given.metadata;
    const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const plural = `${given.kind.toLowerCase()}s`;
    const { status, text } = await api.send('POST', `${APIS}${place}/${plural}`, given);
    expect([given.kind, status, text]).toEqual([given.kind, 201, expect.any(String)]);
  }
});

test('the namespaces of projects get the prefix that is given', () => {
  const { stdout } = convert(stringify(GIVEN[0]), 'team-');
  expect(objectsIn(stdout)[0]?.metadata.namespace).toBe('team-web');
});

test('an error does not quote the input', () => {
  const { stderr, status } = convert('kind: User\ndata: { a: PLANTED\n');
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^the input is neither .* at line \d+.*\n$/)]);
  expect(stderr).not.toContain('PLANTED');
});

test.each([
  ['a: [', 'neither YAML nor JSON', 1],
  ['{ kind: User, apiVersion: management.loft.sh/v1 }', 'User: left out: it has no name', 0],
  ['kind: User\nmetadata: { name: x }\n', 'User x: left out: its apiVersion is undefined', 0],
])('other input is refused or left out: %j', (input, said, code) => {
  const { stdout, stderr, status } = convert(input);
  expect([status, stdout]).toEqual([code, '']);
  expect(stderr).toContain(said);
});
