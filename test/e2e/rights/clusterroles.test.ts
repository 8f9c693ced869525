/** Aggregated ClusterRoles, which combine the rules of others. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const LABEL = 'example.com/aggregate';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let server: ServerFixture;
let api: Client;
beforeAll(async () => {
  server = await startServer({ controllers: 'clusterrole-aggregation-controller' });
  api = client(server);
});
afterAll(() => server.remove());

const rule = (resource: string): object => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
const create = async (name: string, more: object, labels = {}): Promise<void> => {
  expect((await api.send('POST', ROLES, { metadata: { name, labels }, ...more })).status).toBe(201);
};
const has = (name: string, rules: readonly object[] | null): Promise<boolean> =>
  eventually(`${name} with ${JSON.stringify(rules)}`, async () => {
    const found = JSON.parse((await api.send('GET', `${ROLES}/${name}`)).text) as { rules: unknown };
    const sorted = (value: unknown): string =>
      JSON.stringify(value, (_, member: unknown) =>
        typeof member === 'object' && member !== null && !Array.isArray(member)
          ? Object.fromEntries(Object.entries(member).sort())
          : member,
      );
    return sorted(found.rules) === sorted(rules);
  });

test('they follow the roles that they select, in order of names, each rule once', async () => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [LABEL]: 'true' } }] };
  await create('b', { rules: [rule('secrets'), rule('events')] }, { [LABEL]: 'true' });
  await create('all', { aggregationRule, rules: [rule('nodes')] }, { [LABEL]: 'true' });
  await has('all', [rule('secrets'), rule('events')]);
  await create('a', { rules: [rule('configmaps'), rule('events')] }, { [LABEL]: 'true' });
  await has('all', [rule('configmaps'), rule('events'), rule('secrets')]);
  await api.send('PATCH', `${ROLES}/b`, { metadata: { labels: { [LABEL]: null } } }, MERGE);
  await has('all', [rule('configmaps'), rule('events')]);
  await api.send('PATCH', `${ROLES}/all`, { rules: [rule('nodes')] }, MERGE);
  await has('all', [rule('configmaps'), rule('events')]);
  await api.send('DELETE', `${ROLES}/a`);
  await has('all', null);
});

test('one may collect another', async () => {
  const collects = (label: string): object => ({
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: 'true' } }] },
  });
  await create('outer', collects('example.com/outer'));
  await create('inner', collects('example.com/inner'), { 'example.com/outer': 'true' });
  await create('leaf', { rules: [rule('secrets')] }, { 'example.com/inner': 'true' });
  await has('outer', [rule('secrets')]);
});

test('admin, edit and view of every server are filled', async () => {
  for (const name of ['admin', 'edit', 'view']) {
    await eventually(`rules of ${name}`, async () => {
      const { rules } = JSON.parse((await api.send('GET', `${ROLES}/${name}`)).text) as { rules?: unknown[] };
      return (rules ?? []).length > 0;
    });
  }
});
