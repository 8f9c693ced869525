/** The garbage collector deletes dependents with their owners, and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { VIEWER_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

interface Meta {
  readonly name: string;
  readonly uid: string;
  readonly ownerReferences?: readonly object[];
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
}

interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
}

/** Long enough for the collector to make a wrong deletion. */
const QUIET_MS = 300;
const MERGE = { 'content-type': 'application/merge-patch+json' };

let server: ServerFixture;
let api: Client;
beforeAll(async () => {
  server = await startServer({ controllers: 'garbage-collector-controller' });
  api = client(server);
});
afterAll(() => server.remove());

let spaces = 0;
/** Creates a namespace. */
async function namespace(): Promise<string> {
  const name = `gc-${(spaces += 1)}`;
  expect((await api.send('POST', '/api/v1/namespaces', { metadata: { name } })).status).toBe(201);
  return name;
}

const pathOf = (space: string, name: string): string => `/api/v1/namespaces/${space}/configmaps/${name}`;

async function create(space: string, name: string, metadata: object = {}): Promise<Meta> {
  const path = `/api/v1/namespaces/${space}/configmaps`;
  const { status, text } = await api.send('POST', path, { metadata: { name, ...metadata } });
  if (status !== 201) throw new Error(text);
  return (JSON.parse(text) as { metadata: Meta }).metadata;
}

async function find(path: string): Promise<Meta | undefined> {
  const { status, text } = await api.send('GET', path);
  return status === 200 ? (JSON.parse(text) as { metadata: Meta }).metadata : undefined;
}

const byConfigMap = ({ name, uid }: Meta, blockOwnerDeletion?: boolean): Reference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
});

const owned = (...owners: Reference[]): object => ({ ownerReferences: owners });

async function remove(path: string, propagationPolicy?: string): Promise<void> {
  const { status, text } = await api.send('DELETE', path, propagationPolicy && { propagationPolicy });
  if (status !== 200) throw new Error(text);
}

const gone = (path: string): Promise<boolean> =>
  eventually(`${path} is gone`, async () => (await find(path)) === undefined);

async function stays(path: string): Promise<Meta> {
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  const found = await find(path);
  if (found === undefined) throw new Error(`${path} is gone`);
  return found;
}

const release = (path: string): Promise<unknown> =>
  api.send('PATCH', path, { metadata: { finalizers: null } }, MERGE);

describe('in the background', () => {
  test('dependents of dependents go, what has no owner stays', async () => {
    const space = await namespace();
    const owner = await create(space, 'owner');
    const child = await create(space, 'child', owned(byConfigMap(owner)));
    await create(space, 'grandchild', owned(byConfigMap(child)));
    await create(space, 'stranger');
    await remove(pathOf(space, 'owner'));
    await gone(pathOf(space, 'grandchild'));
    expect(await find(pathOf(space, 'child'))).toBeUndefined();
    await stays(pathOf(space, 'stranger'));
  });

  test('an object stays while one of its owners is there, and loses the reference to the other', async () => {
    const space = await namespace();
    const [a, b] = [await create(space, 'a'), await create(space, 'b')];
    await create(space, 'child', owned(byConfigMap(a), byConfigMap(b)));
    await remove(pathOf(space, 'a'));
    await eventually('one owner', async () => {
      return (await find(pathOf(space, 'child')))?.ownerReferences?.length === 1;
    });
    expect((await stays(pathOf(space, 'child'))).ownerReferences).toEqual([byConfigMap(b)]);
    await remove(pathOf(space, 'b'));
    await gone(pathOf(space, 'child'));
  });

  test('owners that own each other go together', async () => {
    const space = await namespace();
    const a = await create(space, 'a');
    const b = await create(space, 'b', owned(byConfigMap(a)));
    await api.send('PATCH', pathOf(space, 'a'), { metadata: owned(byConfigMap(b)) }, MERGE);
    await remove(pathOf(space, 'a'));
    await gone(pathOf(space, 'b'));
  });

  test('dependents of an owner that was created again under its name go, those of the new one stay', async () => {
    const space = await namespace();
    const old = await create(space, 'owner');
    await create(space, 'of-old', owned(byConfigMap(old)));
    await remove(pathOf(space, 'owner'));
    const again = await create(space, 'owner');
    await create(space, 'of-new', owned(byConfigMap(again)));
    await gone(pathOf(space, 'of-old'));
    await stays(pathOf(space, 'of-new'));
  });

  test('a dependent that is created after its owner went, goes', async () => {
    const space = await namespace();
    const owner = await create(space, 'owner');
    await remove(pathOf(space, 'owner'));
    await create(space, 'late', owned(byConfigMap(owner)));
    await gone(pathOf(space, 'late'));
  });

  test('finalizers hold a dependent', async () => {
    const space = await namespace();
    const owner = await create(space, 'owner');
    await create(space, 'held', { ...owned(byConfigMap(owner)), finalizers: ['example.com/hold'] });
    await remove(pathOf(space, 'owner'));
    await eventually(
      'marked',
      async () => (await find(pathOf(space, 'held')))?.deletionTimestamp !== undefined,
    );
    await release(pathOf(space, 'held'));
    await gone(pathOf(space, 'held'));
  });
});

describe('in the foreground', () => {
  // kubernetes/kubernetes#77081
  test('an object that waits for others, and is deleted again, goes with its last finalizer', async () => {
    const space = await namespace();
    const path = pathOf(space, 'twice');
    await create(space, 'twice', { finalizers: ['example.com/wait'] });
    const collected = (): Promise<boolean> =>
      eventually('the finalizer of the collector is gone', async () => {
        return (await find(path))?.finalizers?.length === 1;
      });
    await remove(path, 'Foreground');
    await collected();
    await remove(path, 'Foreground');
    await collected();
    await release(path);
    await gone(path);
  });

  test('an owner waits for the dependents that block it, and for no others', async () => {
    const space = await namespace();
    const owner = await create(space, 'owner');
    const finalizers = ['example.com/hold'];
    await create(space, 'blocks', { ...owned(byConfigMap(owner, true)), finalizers });
    await create(space, 'other', { ...owned(byConfigMap(owner)), finalizers });
    await remove(pathOf(space, 'owner'), 'Foreground');
    await eventually(
      'marked',
      async () => (await find(pathOf(space, 'other')))?.deletionTimestamp !== undefined,
    );
    expect((await stays(pathOf(space, 'owner'))).finalizers).toEqual(['foregroundDeletion']);
    await release(pathOf(space, 'blocks'));
    await gone(pathOf(space, 'owner'));
    await stays(pathOf(space, 'other'));
    await release(pathOf(space, 'other'));
    await gone(pathOf(space, 'other'));
  });

  test('grandchildren go before children, children before the owner', async () => {
    const space = await namespace();
    const owner = await create(space, 'owner');
    const child = await create(space, 'child', owned(byConfigMap(owner, true)));
    const finalizers = ['example.com/hold'];
    await create(space, 'grandchild', { ...owned(byConfigMap(child, true)), finalizers });
    await remove(pathOf(space, 'owner'), 'Foreground');
    await eventually('marked', async () => {
      return (await find(pathOf(space, 'grandchild')))?.deletionTimestamp !== undefined;
    });
    expect((await stays(pathOf(space, 'child'))).finalizers).toEqual(['foregroundDeletion']);
    await release(pathOf(space, 'grandchild'));
    for (const name of ['grandchild', 'child', 'owner']) await gone(pathOf(space, name));
  });

  test('an owner without dependents goes at once', async () => {
    const space = await namespace();
    await create(space, 'owner');
    await remove(pathOf(space, 'owner'), 'Foreground');
    await gone(pathOf(space, 'owner'));
  });

  test('a dependent that comes when the deletion has begun goes too', async () => {
    const space = await namespace();
    const owner = await create(space, 'owner', { finalizers: ['example.com/hold'] });
    await remove(pathOf(space, 'owner'), 'Foreground');
    await eventually('no dependents', async () => {
      return (await find(pathOf(space, 'owner')))?.finalizers?.length === 1;
    });
    await create(space, 'late', owned(byConfigMap(owner, true)));
    await stays(pathOf(space, 'late'));
    await release(pathOf(space, 'owner'));
    for (const name of ['owner', 'late']) await gone(pathOf(space, name));
  });

  test.each([['one'], ['all']])(
    'owners that own each other go, when %s of them is deleted',
    async (which) => {
      const space = await namespace();
      const a = await create(space, 'a');
      const b = await create(space, 'b', owned(byConfigMap(a, true)));
      const c = await create(space, 'c', owned(byConfigMap(b, true)));
      await api.send('PATCH', pathOf(space, 'a'), { metadata: owned(byConfigMap(c, true)) }, MERGE);
      const deleted = which === 'one' ? ['a'] : ['a', 'b', 'c'];
      await Promise.all(
        deleted.map((name) => api.send('DELETE', pathOf(space, name), { propagationPolicy: 'Foreground' })),
      );
      for (const name of ['a', 'b', 'c']) await gone(pathOf(space, name));
    },
  );

  test('an object that owns itself goes', async () => {
    const space = await namespace();
    const own = await create(space, 'own');
    await api.send('PATCH', pathOf(space, 'own'), { metadata: owned(byConfigMap(own, true)) }, MERGE);
    await remove(pathOf(space, 'own'), 'Foreground');
    await gone(pathOf(space, 'own'));
  });
});

test('orphaned dependents stay, and lose the reference', async () => {
  const space = await namespace();
  const owner = await create(space, 'owner');
  for (const name of ['a', 'b']) await create(space, name, owned(byConfigMap(owner, true)));
  await remove(pathOf(space, 'owner'), 'Orphan');
  await gone(pathOf(space, 'owner'));
  for (const name of ['a', 'b']) expect((await stays(pathOf(space, name))).ownerReferences).toBeUndefined();
});

describe('owners of another scope', () => {
  test('a cluster-scoped owner takes its dependents with it', async () => {
    const space = await namespace();
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const { text } = await api.send('POST', roles, { metadata: { name: 'gc-owner' }, rules: [] });
    const { uid } = (JSON.parse(text) as { metadata: Meta }).metadata;
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    await create(space, 'child', owned({ apiVersion, kind: 'ClusterRole', name: 'gc-owner', uid }));
    await stays(pathOf(space, 'child'));
    await remove(`${roles}/gc-owner`);
    await gone(pathOf(space, 'child'));
  });

  test('an owner in another namespace counts as absent, and an event says so', async () => {
    const [space, other] = [await namespace(), await namespace()];
    const owner = await create(other, 'owner');
    await create(space, 'child', owned(byConfigMap(owner)));
    await gone(pathOf(space, 'child'));
    await eventually('an event', async () => {
      const { text } = await api.send('GET', `/api/v1/namespaces/${space}/events`);
      return text.includes('OwnerRefInvalidNamespace') && text.includes(`it is in namespace \\"${other}\\"`);
    });
    await stays(pathOf(other, 'owner'));
  });

  test('a cluster-scoped object is not deleted for an owner in a namespace', async () => {
    const space = await namespace();
    const owner = await create(space, 'owner');
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const metadata = { name: 'gc-misplaced', ...owned(byConfigMap(owner, true)) };
    expect((await api.send('POST', roles, { metadata, rules: [] })).status).toBe(201);
    await remove(pathOf(space, 'owner'), 'Foreground');
    await gone(pathOf(space, 'owner'));
    await stays(`${roles}/gc-misplaced`);
  });

  test.each([
    ['apps/v1', 'Deployment'],
    ['management.svc.example/v9', 'SharedSecret'],
    ['v1', 'Nothing'],
  ])('an owner of a kind that is not served (%s %s) is left alone', async (apiVersion, kind) => {
    const space = await namespace();
    await create(space, 'child', owned({ apiVersion, kind, name: 'x', uid: 'b0a7' }));
    await stays(pathOf(space, 'child'));
  });
});

test('owners that went while the server was down are noticed when it comes back', async () => {
  const space = await namespace();
  const owner = await create(space, 'owner');
  await create(space, 'child', owned(byConfigMap(owner)));
  await api.send('DELETE', pathOf(space, 'owner'));
  await server.kill();
  await server.restart();
  await gone(pathOf(space, 'child'));
});

describe('the graph of owners', () => {
  const PATH = '/debug/controllers/garbage-collector/graph';

  test('is shown as JSON and for Graphviz', async () => {
    const space = await namespace();
    const owner = await create(space, 'owner');
    const child = await create(space, 'child', owned(byConfigMap(owner)));
    const json = JSON.parse((await api.send('GET', PATH)).text) as { nodes: { uid: string }[] };
    expect(json.nodes.find(({ uid }) => uid === child.uid)).toMatchObject({
      kind: 'ConfigMap',
      namespace: space,
      owners: [{ ...byConfigMap(owner), seen: false }],
    });
    for (const [query, accept] of [
      ['?format=dot', 'application/json'],
      ['', 'text/vnd.graphviz'],
    ] as const) {
      const { text, headers } = await api.send('GET', PATH + query, undefined, { accept });
      expect(headers['content-type']).toContain('text/vnd.graphviz');
      expect(text).toContain(`"${child.uid}" -> "${owner.uid}";`);
    }
  });

  test('is not for everybody', async () => {
    expect((await client(server, VIEWER_TOKEN).send('GET', PATH)).status).toBe(403);
  });
});
