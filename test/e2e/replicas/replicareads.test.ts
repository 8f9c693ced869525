/**
 * A server knows at once what another server on the same etcd has returned to a client, while clients write to both.
 */
import { Agent } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, eventsOf } from '../../fixtures/clients/client.js';
import { etcdIsThere } from '../../fixtures/stores/etcd.js';
import {
  ADMIN_TOKEN,
  VIEWER_TOKEN,
  fetchFrom,
  type Answer,
  type ServerFixture,
} from '../../fixtures/servers/server.js';
import { startTwoOnEtcd, type ServersOnEtcd } from '../../fixtures/servers/serversonetcd.js';
import type { SeenEvent } from '../../fixtures/clients/watchevents.js';

const suite = etcdIsThere() ? describe : describe.skip;
const ROUNDS = 24;
const MAPS = '/api/v1/namespaces/default/configmaps';
const MANAGEMENT = '/apis/management.svc.example/v1';
const KEYS = `${MANAGEMENT}/ownedaccesskeys`;
const SECRETS = `${MANAGEMENT}/namespaces/default/sharedsecrets`;
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const JSON_TYPE = { 'content-type': 'application/json' };
const MERGE = { 'content-type': 'application/merge-patch+json' };

suite('two servers on one etcd, under load', () => {
  let together: ServersOnEtcd;
  let stopped = false;
  const writers: Promise<void>[] = [];
  const agent = new Agent({ keepAlive: true });

  const ask = (
    { url }: ServerFixture,
    method: string,
    path: string,
    body?: object,
    token = ADMIN_TOKEN,
  ): Promise<Answer> => {
    const headers = method === 'PATCH' ? MERGE : JSON_TYPE;
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    return fetchFrom(`${url}${path}`, { method, token, agent, ...sent });
  };

  beforeAll(async () => {
    together = await startTwoOnEtcd();
    for (let number = 0; number < 4; number += 1) writers.push(write(number));
  });
  afterAll(async () => {
    stopped = true;
    await Promise.all(writers);
    agent.destroy();
    await together.stop();
  });

  async function write(number: number): Promise<void> {
    const metadata = { name: `load-${number}` };
    const server = together.servers[number % 2] as ServerFixture;
    await ask(server, 'POST', MAPS, { metadata });
    for (let round = 0; !stopped; round += 1)
      await ask(server, 'PATCH', `${MAPS}/load-${number}`, { data: { round: String(round) } });
  }

  /** Runs `round` repeatedly, with the two servers in either order, and returns the errors. */
  async function rounds(
    round: (one: ServerFixture, other: ServerFixture, number: number) => Promise<object>,
    expected: object,
  ): Promise<void> {
    const [first, second] = together.servers;
    for (let number = 0; number < ROUNDS; number += 1) {
      const [one, other] = number % 2 === 0 ? [first, second] : [second, first];
      expect([number, await round(one, other, number)]).toEqual([number, expected]);
    }
  }

  test('an object: GET, LIST, and the beginning of a watch', async () => {
    await rounds(
      async (one, other, number) => {
        const metadata = { name: `round-${number}`, labels: { round: String(number) } };
        const created = await ask(one, 'POST', MAPS, { metadata });
        const version = /"resourceVersion":"(\d+)"/.exec(created.text)?.[1];
        const selected = `${MAPS}?labelSelector=round%3D${number}`;
        const [got, listed, events] = await Promise.all([
          ask(other, 'GET', `${MAPS}/round-${number}`),
          ask(other, 'GET', selected),
          eventsOf<SeenEvent['object']>(client(other), `${selected}&watch=1`, 1),
        ]);
        const shows = (text: string): boolean => text.includes(`"resourceVersion":"${version}"`);
        return {
          created: created.status,
          got: shows(got.text),
          listed: shows(listed.text),
          watched: events[0]?.object.metadata.resourceVersion === version,
        };
      },
      { created: 201, got: true, listed: true, watched: true },
    );
  });

  test('an access key that is made, and one that is disabled or deleted', async () => {
    await rounds(
      async (one, other, number) => {
        const made = await ask(one, 'POST', KEYS, { metadata: { name: `key-${number}` }, spec: {} });
        const { key } = (JSON.parse(made.text) as { spec: { key: string } }).spec;
        const reads = (): Promise<Answer[]> =>
          Promise.all([
            ask(other, 'GET', `${MAPS}/load-0`, undefined, key),
            ask(other, 'GET', MAPS, undefined, key),
            ask(other, 'POST', MAPS, { metadata: { generateName: 'by-key-' } }, key),
            ask(other, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, key),
          ]);
        const before = await reads();
        const end = number % 3 === 0 ? ask(one, 'DELETE', `${KEYS}/key-${number}`) : disable(one, number);
        const ended = await end;
        const after = await reads();
        return {
          before: before.map(({ status }) => status),
          ended: ended.status,
          after: after.map(({ status }) => status),
        };
      },
      { before: [200, 200, 201, 201], ended: 200, after: [401, 401, 401, 401] },
    );
  });

  const disable = (server: ServerFixture, number: number): Promise<Answer> =>
    ask(server, 'PATCH', `${KEYS}/key-${number}`, { spec: { disabled: true } });

  test('the access rules of an object', async () => {
    await rounds(
      async (one, other, number) => {
        const name = `secret-${number}`;
        const access = [{ verbs: ['get'], subresources: ['*'], users: ['viewer'] }];
        const made = await ask(one, 'POST', SECRETS, { metadata: { name }, spec: { access } });
        const reads = async (): Promise<unknown[]> => {
          const [got, listed] = await Promise.all([
            ask(other, 'GET', `${SECRETS}/${name}`, undefined, VIEWER_TOKEN),
            ask(other, 'GET', SECRETS, undefined, VIEWER_TOKEN),
          ]);
          return [got.status, listed.text.includes(`"${name}"`)];
        };
        const before = await reads();
        const taken = await ask(one, 'PATCH', `${SECRETS}/${name}`, { spec: { access: [] } });
        return { made: made.status, before, taken: taken.status, after: await reads() };
      },
      { made: 201, before: [200, true], taken: 200, after: [403, false] },
    );
  });

  test('a role that is bound, and is not any more', async () => {
    await rounds(
      async (one, other, number) => {
        const apiGroup = 'rbac.authorization.k8s.io';
        const made = await ask(one, 'POST', BINDINGS, {
          metadata: { name: `binding-${number}` },
          roleRef: { apiGroup, kind: 'ClusterRole', name: 'edit' },
          subjects: [{ apiGroup, kind: 'User', name: 'viewer' }],
        });
        const uses = async (): Promise<number[]> => {
          const answers = await Promise.all([
            ask(other, 'GET', `${MAPS}/load-0`, undefined, VIEWER_TOKEN),
            ask(other, 'POST', MAPS, { metadata: { generateName: 'by-viewer-' } }, VIEWER_TOKEN),
          ]);
          return answers.map(({ status }) => status);
        };
        const before = await uses();
        const gone = await ask(one, 'DELETE', `${BINDINGS}/binding-${number}`);
        return { made: made.status, before, gone: gone.status, after: await uses() };
      },
      { made: 201, before: [200, 201], gone: 200, after: [403, 403] },
    );
  });
});
