/**
 * A controller with an unmodified controller-runtime (Go), with the rights of a ServiceAccount, and with a second
 * replica.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { describeWith } from '../../fixtures/program.js';
import { startMirror, type Mirror } from '../../fixtures/stubs/secretmirror.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

interface Found {
  readonly metadata: {
    readonly uid: string;
    readonly generation?: number;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly object[];
    readonly deletionTimestamp?: string;
    readonly managedFields?: readonly { readonly manager: string; readonly operation: string }[];
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly holderIdentity?: string };
  readonly status?: { readonly conditions?: readonly { readonly observedGeneration?: number }[] };
}

interface Event {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly uid: string };
}

const CORE = '/api/v1/namespaces/default';
const SHARED = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/secretmirror';
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const FINALIZER = 'example.com/secretmirror';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const READ = ['get', 'list', 'watch'];
const WRITE = [...READ, 'create', 'update', 'patch', 'delete'];
const RULES = [
  // Setting blockOwnerDeletion requires the permission to delete the owner.
  {
    apiGroups: ['management.svc.example'],
    resources: ['sharedsecrets'],
    verbs: [...READ, 'patch', 'delete'],
  },
  { apiGroups: ['management.svc.example'], resources: ['sharedsecrets/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: WRITE },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

let server: ServerFixture;
let api: Client;
let kubeconfig: string;

async function post<T>(path: string, body: object): Promise<T> {
  const { status, text } = await api.send('POST', path, body);
  if (status !== 201) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as T;
}

async function find<T = Found>(path: string): Promise<T | undefined> {
  const { status, text } = await api.send('GET', path);
  if (status !== 200 && status !== 404) throw new Error(`${path}: ${text}`);
  return status === 200 ? (JSON.parse(text) as T) : undefined;
}

/** A kubeconfig of a ServiceAccount with only the rights that the controller needs. */
async function account(): Promise<string> {
  await post(`${CORE}/serviceaccounts`, { metadata: { name: 'mirror' } });
  await post(`${RBAC}/roles`, { metadata: { name: 'mirror' }, rules: RULES });
  await post(`${RBAC}/rolebindings`, {
    metadata: { name: 'mirror' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'mirror' },
    subjects: [{ kind: 'ServiceAccount', name: 'mirror', namespace: 'default' }],
  });
  const { status } = await post<{ status: { token: string } }>(`${CORE}/serviceaccounts/mirror/token`, {});
  const path = join(server.directory, 'mirror.kubeconfig');
  const authority = Buffer.from(authorityOf(server)).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'here', cluster: { server: server.url, 'certificate-authority-data': authority } }],
    users: [{ name: 'mirror', user: { token: status.token } }],
    contexts: [{ name: 'mirror', context: { cluster: 'here', user: 'mirror' } }],
    'current-context': 'mirror',
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

/** Writes a SharedSecret, waits until the controller has updated its status, and returns it. */
async function mirrored(name: string): Promise<Found> {
  await post(SHARED, { metadata: { name }, spec: { data: { user: 'YQ==', password: 'Yg==' } } });
  return reported(name);
}

function reported(name: string): Promise<Found> {
  return eventually(`a report on ${name}`, async () => {
    const found = await find(`${SHARED}/${name}`);
    const reports = found?.status?.conditions?.map(({ observedGeneration }) => observedGeneration);
    return reports?.includes(found?.metadata.generation) === true && found;
  });
}

const eventsOf = async (uid: string): Promise<readonly Event[]> =>
  (await find<{ items: Event[] }>(`${CORE}/events?fieldSelector=involvedObject.uid%3D${uid}`))?.items ?? [];

describeWith('secretmirror')('a controller on controller-runtime', () => {
  let mirrors: Mirror[] = [];
  const leader = (): Mirror | undefined => mirrors.find((one) => one.leads() && one.isRunning());

  beforeAll(async () => {
    server = await startServer({ controllers: 'garbage-collector-controller' });
    api = client(server);
    kubeconfig = await account();
    mirrors = [startMirror(kubeconfig), startMirror(kubeconfig)];
  });
  afterAll(async () => {
    await Promise.all(mirrors.map((one) => one.end('SIGKILL')));
    await server.remove();
  });

  test('one of two leads and says so', async () => {
    await eventually('a leader', async () => Promise.resolve(leader()));
    const lease = (await find(LEASE)) as Found;
    expect(lease.spec?.holderIdentity).not.toBe('');
    await eventually('its event', async () => {
      const [said] = await eventsOf(lease.metadata.uid);
      return said?.message === `${lease.spec?.holderIdentity ?? ''} became leader`;
    });
    expect(mirrors.filter((one) => one.leads())).toHaveLength(1);
  });

  test('its objects are owned by the object that they are made from', async () => {
    const { metadata, status } = await mirrored('first');
    const mirroredNow = { type: 'Mirrored', status: 'True', reason: 'Written', observedGeneration: 1 };
    expect(status?.conditions).toContainEqual(expect.objectContaining(mirroredNow));
    expect(metadata.finalizers).toEqual([FINALIZER]);
    const owner = {
      apiVersion: 'management.svc.example/v1',
      kind: 'SharedSecret',
      name: 'first',
      uid: metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    const keys = await find(`${CORE}/configmaps/first-keys`);
    expect(keys).toMatchObject({ metadata: { ownerReferences: [owner] }, data: { keys: 'password,user' } });
    const checksum = await find(`${CORE}/secrets/first-checksum`);
    expect(checksum?.metadata.ownerReferences).toEqual([owner]);
    expect(checksum?.metadata.managedFields).toMatchObject([{ manager: 'secretmirror', operation: 'Apply' }]);
  });

  test('its events are recorded', async () => {
    const { uid } = ((await find(`${SHARED}/first`)) as Found).metadata;
    const [said] = await eventually('an event', async () => {
      const events = await eventsOf(uid);
      return events.length > 0 && events;
    });
    expect(said).toMatchObject({
      reason: 'Mirrored',
      type: 'Normal',
      action: 'Write',
      message: 'ConfigMap first-keys created',
      reportingComponent: 'secretmirror',
      related: { kind: 'ConfigMap', name: 'first-keys' },
      involvedObject: { apiVersion: 'management.svc.example/v1', kind: 'SharedSecret', name: 'first' },
    });
  });

  test('changes of the object and of its dependents are seen', async () => {
    const before = (await find(`${CORE}/configmaps/first-keys`)) as Found;
    await api.send('PATCH', `${SHARED}/first`, { spec: { data: { token: 'Yw==' } } }, MERGE);
    await reported('first');
    expect(await find(`${CORE}/configmaps/first-keys`)).toMatchObject({
      data: { keys: 'password,token,user' },
    });
    for (const path of [`${CORE}/configmaps/first-keys`, `${CORE}/secrets/first-checksum`]) {
      const uid = (await find(path))?.metadata.uid;
      expect((await api.send('DELETE', path)).status).toBe(200);
      await eventually(`another ${path}`, async () => {
        const now = (await find(path))?.metadata.uid;
        return now !== undefined && now !== uid;
      });
    }
    expect((await find(`${CORE}/configmaps/first-keys`))?.metadata.uid).not.toBe(before.metadata.uid);
  });

  test.each(['Background', 'Foreground'])(
    'a finalizer holds the owner, then all goes: %s',
    async (policy) => {
      const name = policy.toLowerCase();
      const path = `${SHARED}/${name}`;
      await mirrored(name);
      await api.send('PATCH', path, { metadata: { annotations: { 'example.com/keep': 'true' } } }, MERGE);
      expect((await api.send('DELETE', `${path}?propagationPolicy=${policy}`)).status).toBe(200);
      // The controller has one worker: when it has mirrored this secret, it has processed the deletion.
      await mirrored(`after-${name}`);
      const held = await find(path);
      expect(held?.metadata.deletionTimestamp).toBeDefined();
      expect(held?.metadata.finalizers).toContain(FINALIZER);
      await api.send('PATCH', path, { metadata: { annotations: { 'example.com/keep': null } } }, MERGE);
      for (const left of [path, `${CORE}/configmaps/${name}-keys`, `${CORE}/secrets/${name}-checksum`]) {
        await eventually(`the end of ${left}`, async () => (await find(left)) === undefined);
      }
      expect(await find(`${CORE}/configmaps/after-${name}-keys`)).toBeDefined();
    },
  );

  test('kinds of Kubernetes travel as protobuf', () => {
    const all = mirrors.flatMap((one) => one.requests());
    const core = all.filter(({ path }) => /\/(configmaps|secrets|leases)(\/|$)/.test(path));
    const written = core.filter(({ method }) => method === 'POST' || method === 'PUT');
    expect(written.length).toBeGreaterThan(0);
    expect(new Set(written.map(({ sent }) => sent))).toEqual(new Set([PROTOBUF]));
    const watched = core.filter(({ query }) => query?.includes('watch=true'));
    expect(new Set(watched.map(({ answered }) => answered))).toEqual(new Set([`${PROTOBUF};stream=watch`]));
  });

  test('none of its requests was refused', () => {
    const all = mirrors.flatMap((one) => one.requests());
    // If both replicas create the lease, one gets AlreadyExists.
    const refused = all.filter(({ path, status }) => status >= 400 && path !== LEASE);
    // The controller retries when an object was changed or deleted between its read and its write.
    expect(refused.filter(({ status }) => status !== 409 && status !== 404)).toEqual([]);
  });

  test('if the leader dies, the other takes over', async () => {
    const dying = leader() as Mirror;
    await dying.end('SIGKILL');
    await eventually('another leader', async () => Promise.resolve(leader()));
    expect(leader()).not.toBe(dying);
    await mirrored('second');
    expect((await find(`${CORE}/configmaps/second-keys`))?.data).toEqual({ keys: 'password,user' });
  });

  test('at its end it gives up its lease', async () => {
    const ending = leader() as Mirror;
    await ending.end();
    const last = ending.requests().findLast(({ method, path }) => method === 'PUT' && path === LEASE);
    // A renewal in progress may have won; then client-go does not retry.
    expect([200, 409]).toContain(last?.status);
    const holder = (await find(LEASE))?.spec?.holderIdentity;
    expect(holder === '').toBe(last?.status === 200);
  });

  test('it goes on after a restart of the server', async () => {
    // A leader that cannot renew its lease for longer than this loses it, and exits.
    const patient = startMirror(kubeconfig, ['--lease=60s']);
    mirrors.push(patient);
    await eventually('that it leads', async () => Promise.resolve(patient.leads()));
    await server.restart();
    await mirrored('third');
    expect(patient.isRunning()).toBe(true);
  });
});
