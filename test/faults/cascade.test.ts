/** Cascading deletions are interrupted: in each case exactly the right objects remain. */
import { Agent } from 'node:https';
import { afterAll, describe, expect, test } from '@jest/globals';
import { etcdIsThere, startEtcd } from '../fixtures/stores/etcd.js';
import { fetchFrom, startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const CHILDREN = 20;
const GRANDCHILDREN = 14;
const KILLS = 2;
const PARALLEL = 16;

interface Meta {
  readonly name: string;
  readonly uid: string;
  readonly ownerReferences?: readonly { readonly name: string }[];
  readonly deletionTimestamp?: string;
}

const json = { 'content-type': 'application/json' };

/** Closed after each test: connections to a server that was killed cannot be used again. */
const agents: Agent[] = [];
afterAll(() => {
  for (const agent of agents) agent.destroy();
});
function keptAlive(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  agents.push(agent);
  return agent;
}

async function create(url: string, agent: Agent, name: string, owners: readonly Meta[] = []): Promise<Meta> {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner.name,
    uid: owner.uid,
    blockOwnerDeletion: true,
  }));
  const body = JSON.stringify({ metadata: { name, ownerReferences } });
  return eventually(name, async () => {
    const { status, text } = await fetchFrom(url + CONFIGMAPS, {
      method: 'POST',
      body,
      headers: json,
      agent,
    });
    if (status === 201) return (JSON.parse(text) as { metadata: Meta }).metadata;
    // A busy server asks clients to try again.
    if (!text.includes('"reason":"ServerTimeout"')) throw new Error(text);
    return undefined;
  });
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

/** Creates an owner with children and grandchildren, eight hundred in all, and two objects that must remain. */
async function createFamily(url: string): Promise<void> {
  const agent = keptAlive();
  const owner = await create(url, agent, 'owner');
  const stranger = await create(url, agent, 'stranger');
  await create(url, agent, 'shared', [owner, stranger]);
  await inParallel([...Array(CHILDREN).keys()], async (at) => {
    const child = await create(url, agent, `child-${at}`, [owner]);
    for (let other = 0; other < GRANDCHILDREN; other += 1)
      await create(url, agent, `grandchild-${at}-${other}`, [child]);
  });
}

async function remaining(url: string, limit = 0): Promise<readonly Meta[]> {
  const { text } = await fetchFrom(`${url}${CONFIGMAPS}?limit=${limit}`);
  return (JSON.parse(text) as { items: { metadata: Meta }[] }).items.map(({ metadata }) => metadata);
}

async function deleteOwner(url: string, propagationPolicy: string): Promise<void> {
  const body = JSON.stringify({ propagationPolicy });
  const answer = await fetchFrom(`${url}${CONFIGMAPS}/owner`, { method: 'DELETE', body, headers: json });
  expect(answer.status).toBe(200);
}

const ownersOf = ({ ownerReferences = [] }: Meta): string[] => ownerReferences.map(({ name }) => name);

/** Waits until the cascading deletion is complete, and checks the remaining objects. */
async function expectCascade(url: string, policy: string): Promise<void> {
  const isOver = (left: readonly Meta[]): boolean =>
    policy === 'Orphan'
      ? !left.some((one) => one.name === 'owner' || ownersOf(one).includes('owner'))
      : left.length <= 2 && left.every((one) => !ownersOf(one).includes('owner'));
  const left = await eventually('the end of the cascade', async () => {
    const found = await remaining(url, policy === 'Orphan' ? 0 : 3);
    return isOver(found) && found;
  });
  expect(left.filter(({ deletionTimestamp }) => deletionTimestamp !== undefined)).toEqual([]);
  const byName = new Map(left.map((one) => [one.name, one]));
  expect(ownersOf(byName.get('shared') as Meta)).toEqual(['stranger']);
  expect(byName.has('stranger')).toBe(true);
  if (policy !== 'Orphan') return expect(left).toHaveLength(2);
  expect(left).toHaveLength(2 + CHILDREN * (1 + GRANDCHILDREN));
  expect(ownersOf(byName.get('grandchild-3-5') as Meta)).toEqual(['child-3']);
}

describe('killed at random moments of a cascade of 300 objects', () => {
  test.each(['Background', 'Foreground', 'Orphan'])('%s', async (policy) => {
    const server = await startServer({ controllers: 'garbage-collector-controller' });
    try {
      await createFamily(server.url);
      await deleteOwner(server.url, policy);
      for (let kill = 0; kill < KILLS; kill += 1) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
        await server.kill();
        await server.restart();
      }
      await expectCascade(server.url, policy);
    } finally {
      await server.remove();
    }
  });
});

(etcdIsThere() ? describe : describe.skip)('of two servers on one etcd', () => {
  const leads = async ({ url }: ServerFixture): Promise<boolean> =>
    (await fetchFrom(`${url}/metrics`)).text.includes('workqueue_depth{name="garbage-collector-controller"}');

  /** Runs a test with two servers, one of which is the leader. */
  async function withTwo(
    story: (leader: ServerFixture, other: ServerFixture) => Promise<void>,
  ): Promise<void> {
    const etcd = await startEtcd();
    const options = { etcdServers: etcd.endpoint, controllers: 'garbage-collector-controller' };
    const servers = await Promise.all([startServer(options), startServer(options)]);
    try {
      const leader = await eventually('a leader', async () => {
        for (const server of servers) if (await leads(server)) return server;
        return undefined;
      });
      await story(leader, servers.find((server) => server !== leader) as ServerFixture);
    } finally {
      await Promise.all(servers.map((server) => server.remove()));
      await etcd.stop();
    }
  }

  test('another server completes a cascade during which the leader was killed', async () => {
    await withTwo(async (leader, other) => {
      expect(await leads(other)).toBe(false);
      await createFamily(other.url);
      await deleteOwner(other.url, 'Background');
      await eventually(
        'the middle',
        async () => (await remaining(other.url)).length < CHILDREN * GRANDCHILDREN,
      );
      await leader.kill();
      await eventually('another leader', () => leads(other));
      await expectCascade(other.url, 'Background');
    });
  });

  test('a leader that stops gives way at once', async () => {
    await withTwo(async (leader, other) => {
      await leader.stop();
      // Much less than the duration of the lease.
      await eventually('another leader', () => leads(other));
    });
  });
});
