/** Tokens by which agents join: used twice, forged, of other clusters, of makers without the right, and asked for without it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { API, create, keyOf } from '../../fixtures/agents/tunnel.js';
import { client, usualType } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { fetchFrom, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';

const JOIN = '/auth/cluster/join';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';

describe('join tokens', () => {
  let on: EngineServer;
  let server: ServerFixture;
  const tokens: string[] = [];

  beforeAll(async () => {
    on = await startEmbedded();
    ({ server } = on);
    for (const name of ['east', 'west']) {
      await create(server, `${API}/clusters`, name, {});
      await create(server, `${API}/users`, `agent-${name}`, {});
    }
    for (const name of ['ada', 'ben', 'carl', 'dora', 'eve']) await create(server, `${API}/users`, name, {});
    await mayJoin('ada', ['east', 'west'], ['agent-east', 'agent-west']);
    // Without the right to be the agent, and for one cluster alone.
    await mayJoin('ben', ['east'], []);
    await mayJoin('carl', ['east'], ['agent-east']);
    await mayJoin('eve', ['east'], ['agent-east']);
  });
  afterAll(async () => {
    expect(server.isRunning()).toBe(true);
    for (const token of tokens) expect(server.log()).not.toContain(token);
    await on.remove();
  });

  async function mayJoin(user: string, clusters: string[], agents: string[]): Promise<void> {
    const rules = [
      {
        apiGroups: ['management.svc.example'],
        resources: ['clusters/join'],
        resourceNames: clusters,
        verbs: ['create'],
      },
      { apiGroups: ['management.svc.example'], resources: ['ownedaccesskeys/unlimited'], verbs: ['create'] },
      ...(agents.length === 0
        ? []
        : [{ apiGroups: [''], resources: ['users'], resourceNames: agents, verbs: ['impersonate'] }]),
    ];
    const metadata = { name: `join-${user}` };
    const roleRef = { kind: 'ClusterRole', apiGroup: GROUP, name: metadata.name };
    const subjects = [{ apiGroup: GROUP, kind: 'User', name: user }];
    for (const [plural, body] of [
      ['clusterroles', { metadata, rules }],
      ['clusterrolebindings', { metadata, roleRef, subjects }],
    ] as const)
      expect((await client(server).send('POST', `${RBAC}/${plural}`, body)).status).toBe(201);
  }
  const asked = (cluster: string, key?: string) =>
    client(server, key).send('POST', `${API}/clusters/${cluster}/join`, {});
  async function tokenFor(cluster: string, key?: string): Promise<string> {
    const { status, text } = await asked(cluster, key);
    if (status !== 201) throw new Error(text);
    const made = (JSON.parse(text) as { status: { token: string; expirationTimestamp: string } }).status;
    const minutes = (Date.parse(made.expirationTimestamp) - Date.now()) / 60_000;
    expect(Math.round(minutes)).toBe(15);
    tokens.push(made.token);
    return made.token;
  }
  const joining = (token: unknown, cluster: unknown = 'east'): Promise<Answer> =>
    fetchFrom(server.url + JOIN, {
      method: 'POST',
      token: '',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, cluster }),
    });
  const keysOf = async (user: string): Promise<number> => {
    const { text } = await client(server).send('GET', `${API}/ownedaccesskeys`);
    const { items } = JSON.parse(text) as { items: { spec: { user?: string } }[] };
    return items.filter(({ spec }) => spec.user === user).length;
  };

  test('control: a token becomes a key of the agent', async () => {
    const { status, text } = await joining(await tokenFor('east'));
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ user: 'agent-east' })]);
    const key = (JSON.parse(text) as { access_token: string }).access_token;
    const self = await client(server, key).send('POST', `${API}/selves`, {});
    expect(self.text).toContain('agent-east');
    tokens.push(key);
  });

  test('it works once, also for several at a time, and in another spelling', async () => {
    const before = await keysOf('agent-east');
    const token = await tokenFor('east');
    const answers = await Promise.all(Array.from({ length: 8 }, () => joining(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(400)]);
    for (const again of [token, `${token}=`, `${token}!`]) expect((await joining(again)).status).toBe(400);
    expect(await keysOf('agent-east')).toBe(before + 1);
  });

  test('it is for one cluster, and not used up by trying another', async () => {
    const token = await tokenFor('west');
    for (const cluster of ['east', '', 'nosuch', 'west/../east', ['west'], null])
      expect((await joining(token, cluster)).status).toBe(400);
    expect((await joining(token, 'west')).status).toBe(200);
  });

  test('it ends with its Cluster, and with the user of the agent', async () => {
    for (const [plural, name] of [
      ['clusters', 'south'],
      ['users', 'agent-south'],
    ] as const) {
      await create(server, `${API}/clusters`, 'south', {}).catch(() => undefined);
      await create(server, `${API}/users`, 'agent-south', {}).catch(() => undefined);
      const token = await tokenFor('south');
      expect((await client(server).send('DELETE', `${API}/${plural}/${name}`)).status).toBe(200);
      expect((await joining(token, 'south')).status).toBe(400);
      // Another has the name.
      await create(server, `${API}/${plural}`, name, {});
      expect((await joining(token, 'south')).status).toBe(400);
    }
  });

  test('it ends with the right of its maker', async () => {
    const key = await keyOf(server, 'ada');
    const token = await tokenFor('east', key);
    expect((await client(server).send('DELETE', `${RBAC}/clusterrolebindings/join-ada`)).status).toBe(200);
    expect((await joining(token)).status).toBe(403);
    const gone = await tokenFor('east', await keyOf(server, 'carl'));
    expect((await client(server).send('DELETE', `${API}/users/carl`)).status).toBe(200);
    expect((await joining(gone)).status).toBe(403);
  });

  test('nobody gets one without the right to it, to be the agent, or for another cluster', async () => {
    const [ben, dora] = [await keyOf(server, 'ben'), await keyOf(server, 'dora')];
    for (const [cluster, key] of [
      ['east', ben],
      ['west', ben],
      ['east', dora],
    ] as const) {
      const { status, text } = await asked(cluster, key);
      expect([status, text.includes('"token"')]).toEqual([403, false]);
    }
    expect(
      (await fetchFrom(`${server.url}${API}/clusters/east/join`, { method: 'POST', token: '' })).status,
    ).toBe(403);
    expect((await asked('nosuch')).status).toBe(404);
  });

  test('whose credential may end gets none, as the key of an agent does not', async () => {
    await mayJoin('dora', ['east'], ['agent-east']);
    expect((await client(server).send('DELETE', `${RBAC}/clusterroles/join-dora`)).status).toBe(200);
    const rules = [
      { apiGroups: ['management.svc.example'], resources: ['clusters/join'], verbs: ['create'] },
      { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] },
    ];
    await client(server).send('POST', `${RBAC}/clusterroles`, { metadata: { name: 'join-dora' }, rules });
    const short = await create(server, `${API}/ownedaccesskeys`, 'short', { user: 'dora', ttl: 3600 });
    // The key of the agent would outlive a key without an end, too, once that is deleted.
    for (const key of [String(short.spec.key), await keyOf(server, 'dora', 'endless')]) {
      const { status, text } = await asked('east', key);
      expect([status, text]).toEqual([403, expect.stringContaining('ownedaccesskeys/unlimited')]);
    }
  });

  test('it ends with the key of its maker', async () => {
    const path = `${API}/ownedaccesskeys/made`;
    const spec = { user: 'eve' };
    const takeAway = {
      deleted: () => client(server).send('DELETE', path),
      disabled: () =>
        client(server).send(
          'PATCH',
          path,
          { spec: { disabled: true } },
          { 'content-type': usualType('PATCH') },
        ),
      remade: async () => {
        await client(server).send('DELETE', path);
        await create(server, `${API}/ownedaccesskeys`, 'made', spec);
      },
    };
    for (const take of Object.values(takeAway)) {
      await client(server).send('DELETE', path);
      const token = await tokenFor('east', await keyOf(server, 'eve', 'made'));
      await take();
      const { status, text } = await joining(token);
      expect([status, text]).toEqual([403, expect.stringContaining('key that made the join token')]);
    }
  });

  test('an agent of the longest name of a cluster joins', async () => {
    const name = 'x'.repeat(247);
    await create(server, `${API}/clusters`, name, {});
    await create(server, `${API}/users`, `agent-${name}`, {});
    expect((await joining(await tokenFor(name), name)).status).toBe(200);
  });

  test.each(['', 'a', 'x'.repeat(60_000), 'é', 7, null, {}])(
    'the token %j lets nobody join',
    async (token) => {
      expect((await joining(token)).status).toBe(400);
    },
  );

  test('other methods, types and lengths are refused', async () => {
    expect((await fetchFrom(server.url + JOIN, { token: '' })).status).toBe(405);
    const body = 'x'.repeat(100_000);
    expect(
      (await fetchFrom(server.url + JOIN, { method: 'POST', token: '', body })).status,
    ).toBeGreaterThanOrEqual(400);
    expect((await fetchFrom(server.url + JOIN, { method: 'POST', token: '', body: '[' })).status).toBe(400);
  });
});
