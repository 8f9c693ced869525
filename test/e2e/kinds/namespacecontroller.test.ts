/** The namespace controller adds the default content of namespaces, and removes the content of deleted ones. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const NAMESPACES = '/api/v1/namespaces';
const SHARED = '/apis/management.svc.example/v1';

interface Found {
  readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
  readonly data?: Record<string, string>;
  readonly status?: { readonly conditions?: readonly Record<string, string>[] };
}

let server: ServerFixture;
let api: Client;
beforeAll(async () => {
  server = await startServer({ controllers: '*' });
  api = client(server);
});
afterAll(() => server.remove());

const code = async (path: string): Promise<number> => (await api.send('GET', path)).status;
const found = async (path: string): Promise<Found | undefined> => {
  const { status, text } = await api.send('GET', path);
  return status === 200 ? (JSON.parse(text) as Found) : undefined;
};
const gone = (path: string): Promise<boolean> =>
  eventually(`${path} is gone`, async () => (await code(path)) === 404);

async function create(path: string, object: object): Promise<void> {
  const { status, text } = await api.send('POST', path, object);
  if (status !== 201) throw new Error(text);
}

const createNamespace = (name: string): Promise<void> => create(NAMESPACES, { metadata: { name } });

describe('each namespace has', () => {
  test.each([
    ['serviceaccounts', 'default'],
    ['configmaps', 'kube-root-ca.crt'],
  ])('%s/%s, which comes back when it is deleted', async (plural, name) => {
    await createNamespace(`with-${plural}`);
    for (const namespace of ['default', 'kube-system', `with-${plural}`]) {
      const path = `${NAMESPACES}/${namespace}/${plural}/${name}`;
      const { uid } = (await eventually(path, () => found(path))).metadata;
      expect((await api.send('DELETE', path)).status).toBe(200);
      await eventually(`another ${path}`, async () => {
        const another = await found(path);
        return another !== undefined && another.metadata.uid !== uid;
      });
    }
  });

  test.each([false, true])(
    'the authority of the server, which comes back when it is changed (immutable: %s)',
    async (immutable) => {
      const path = `${NAMESPACES}/default/configmaps/kube-root-ca.crt`;
      const wanted = { 'ca.crt': authorityOf(server) };
      await eventually(path, () => found(path));
      expect((await found(path))?.data).toEqual(wanted);
      await api.send('PUT', path, {
        metadata: { name: 'kube-root-ca.crt' },
        data: { 'ca.crt': 'x', more: 'y' },
        immutable,
      });
      await eventually('the authority again', async () => {
        return JSON.stringify((await found(path))?.data) === JSON.stringify(wanted);
      });
    },
  );
});

describe('a deleted namespace', () => {
  test('goes with everything in it', async () => {
    await createNamespace('full');
    await create(`${NAMESPACES}/full/configmaps`, { metadata: { name: 'a' } });
    await create(`${NAMESPACES}/full/secrets`, { metadata: { name: 'a' } });
    await create(`${SHARED}/namespaces/full/sharedsecrets`, {
      apiVersion: 'management.svc.example/v1',
      kind: 'SharedSecret',
      metadata: { name: 'a' },
      data: {},
    });
    expect((await api.send('DELETE', `${NAMESPACES}/full`)).status).toBe(200);
    await gone(`${NAMESPACES}/full`);
    await createNamespace('full');
    for (const path of [`${NAMESPACES}/full/secrets`, `${SHARED}/namespaces/full/sharedsecrets`]) {
      const { text } = await api.send('GET', path);
      expect((JSON.parse(text) as { items: unknown[] }).items).toEqual([]);
    }
    expect(await code(`${NAMESPACES}/full/configmaps/a`)).toBe(404);
  });

  test('reports what remains and why, and is deleted when it is empty', async () => {
    await createNamespace('held');
    for (const name of ['a', 'b']) {
      const metadata = { name, finalizers: ['example.com/hold'] };
      await create(`${NAMESPACES}/held/configmaps`, { metadata });
    }
    const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/held/roles`;
    await create(role, { metadata: { name: 'needed' }, rules: [] });
    await api.send('DELETE', `${NAMESPACES}/held`);
    const conditions = await eventually('conditions', async () => {
      const all = (await found(`${NAMESPACES}/held`))?.status?.conditions ?? [];
      return all.length === 5 && all;
    });
    const shown = conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);
    expect(shown).toEqual([
      [
        'NamespaceDeletionDiscoveryFailure',
        'False',
        'ResourcesDiscovered',
        'All resources successfully discovered',
      ],
      [
        'NamespaceDeletionGroupVersionParsingFailure',
        'False',
        'ParsedGroupVersions',
        'All legacy kube types successfully parsed',
      ],
      [
        'NamespaceDeletionContentFailure',
        'False',
        'ContentDeleted',
        'All content successfully deleted, may be waiting on finalization',
      ],
      [
        'NamespaceContentRemaining',
        'True',
        'SomeResourcesRemain',
        'Some resources are remaining: configmaps. has 2 resource instances, roles.rbac.authorization.k8s.io has 1 resource instances, serviceaccounts. has 1 resource instances',
      ],
      [
        'NamespaceFinalizersRemaining',
        'True',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances',
      ],
    ]);
    expect(await code(`${role}/needed`)).toBe(200);
    for (const name of ['a', 'b']) {
      const path = `${NAMESPACES}/held/configmaps/${name}`;
      const patch = { metadata: { finalizers: null } };
      const headers = { 'content-type': 'application/merge-patch+json' };
      expect((await api.send('PATCH', path, patch, headers)).status).toBe(200);
    }
    await gone(`${NAMESPACES}/held`);
  });

  test('is emptied after a restart too', async () => {
    await createNamespace('over');
    const metadata = { name: 'a', finalizers: ['example.com/hold'] };
    await create(`${NAMESPACES}/over/configmaps`, { metadata });
    await api.send('DELETE', `${NAMESPACES}/over`);
    await server.kill();
    await server.restart();
    await api.send(
      'PATCH',
      `${NAMESPACES}/over/configmaps/a`,
      { metadata: { finalizers: null } },
      { 'content-type': 'application/merge-patch+json' },
    );
    await gone(`${NAMESPACES}/over`);
  });

  test('is emptied, and stays, while others alone hold it', async () => {
    await createNamespace('foreign');
    await create(`${NAMESPACES}/foreign/configmaps`, { metadata: { name: 'a' } });
    const holdBy = (finalizers: string[]): Promise<Answer> =>
      api.send('PUT', `${NAMESPACES}/foreign/finalize`, {
        metadata: { name: 'foreign' },
        spec: { finalizers },
      });
    expect((await holdBy(['example.com/hold'])).status).toBe(200);
    await api.send('DELETE', `${NAMESPACES}/foreign`);
    await gone(`${NAMESPACES}/foreign/configmaps/a`);
    expect((await api.send('GET', `${NAMESPACES}/foreign`)).status).toBe(200);
    await holdBy([]);
    await gone(`${NAMESPACES}/foreign`);
  });

  test('a hundred of them with twenty objects each are gone within 30 s', async () => {
    const names = Array.from({ length: 100 }, (_, at) => `many-${at}`);
    await Promise.all(
      names.map(async (namespace) => {
        await createNamespace(namespace);
        for (let at = 0; at < 20; at += 1)
          await create(`${NAMESPACES}/${namespace}/configmaps`, { metadata: { name: `c-${at}` } });
      }),
    );
    await Promise.all(names.map((name) => api.send('DELETE', `${NAMESPACES}/${name}`)));
    await Promise.all(names.map((name) => gone(`${NAMESPACES}/${name}`)));
  });
});

test('queues are measured', async () => {
  const { text } = await api.send('GET', '/metrics');
  for (const name of ['depth', 'adds_total', 'retries_total', 'work_duration_seconds_count'])
    expect(text).toMatch(new RegExp(`^workqueue_${name}{name="namespace-controller"} \\d+$`, 'm'));
});
