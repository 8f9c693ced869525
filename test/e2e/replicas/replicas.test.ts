/** Two servers on one etcd that start at the same moment. */
import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { etcdIsThere, etcdctl, findProgram } from '../../fixtures/stores/etcd.js';
import { fetchFrom, type ServerFixture } from '../../fixtures/servers/server.js';
import { startTwoOnEtcd, type ServersOnEtcd } from '../../fixtures/servers/serversonetcd.js';
import { eventually } from '../../fixtures/wait.js';

const NAMESPACES = '/api/v1/namespaces';
const suite = etcdIsThere() ? describe : describe.skip;

suite('two servers on one etcd', () => {
  let together: ServersOnEtcd;

  beforeAll(async () => {
    together = await startTwoOnEtcd();
  });
  afterAll(() => together?.stop());

  const keyIn = ({ kubeconfig }: ServerFixture): string => {
    const found = /token: "?(mk_[0-9A-Za-z]+)/.exec(readFileSync(kubeconfig, 'utf8'));
    return found?.[1] ?? '';
  };
  /** The status of the response of each server to a key. */
  const answersTo = (token: string): Promise<number[]> =>
    Promise.all(
      together.servers.map(async ({ url }) => (await fetchFrom(url + NAMESPACES, { token })).status),
    );

  test('have one identity', () => {
    const [one, two] = together.servers.map(authorityOf);
    expect(one).toBe(two);
    expect(one).toContain('BEGIN CERTIFICATE');
  });

  test("know each other's administrators, and one that renews its key leaves the other's alone", async () => {
    const [first, second] = together.servers;
    const keys = together.servers.map(keyIn) as [string, string];
    expect(keys[0]).not.toBe(keys[1]);
    for (const key of keys) expect(await answersTo(key)).toEqual([200, 200]);
    await first.stop();
    rmSync(first.kubeconfig);
    await first.restart();
    const renewed = keyIn(first);
    expect(await answersTo(renewed)).toEqual([200, 200]);
    expect(await answersTo(keys[0])).toEqual([401, 401]);
    expect(await answersTo(keys[1])).toEqual([200, 200]);
    await second.restart();
    expect(keyIn(second)).toBe(keys[1]);
  });

  test('refuse a token as soon as its record was deleted at the other', async () => {
    const api = '/apis/management.svc.example/v1';
    const [first, second] = together.servers.map((server) => client(server)) as [Client, Client];
    const metadata = { name: 'tokens' };
    await first.send('POST', `${api}/users`, { metadata });
    const made = await first.send('POST', `${api}/ownedaccesskeys`, { metadata, spec: { user: 'tokens' } });
    const { key } = (JSON.parse(made.text) as { spec: { key: string } }).spec;
    const own = client(together.servers[0], key);
    for (let round = 0; round < 5; round += 1) {
      const answer = await own.send('POST', `${api}/directclusterendpointtokens`, { spec: {} });
      const { token } = (JSON.parse(answer.text) as { status: { token: string } }).status;
      const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
      const { jti } = JSON.parse(payload) as { jti: string };
      const spec = { token, audiences: ['management-direct-endpoint'] };
      const isGood = async (): Promise<boolean> => {
        const review = await second.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec });
        return review.text.includes('"authenticated":true');
      };
      expect(await isGood()).toBe(true);
      expect((await own.send('DELETE', `${api}/directclusterendpointtokens/${jti}`)).status).toBe(200);
      await eventually('the other refuses it', async () => !(await isGood()));
    }
  });

  test("serve each other's writes at once", async () => {
    const [first, second] = together.servers;
    for (let round = 0; round < 20; round += 1) {
      const name = `round-${round}`;
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first];
      const headers = { 'content-type': 'application/json' };
      const created = await fetchFrom(writer.url + NAMESPACES, { method: 'POST', body, headers });
      expect(created.status).toBe(201);
      expect(await fetchFrom(`${reader.url}${NAMESPACES}/${name}`)).toMatchObject({ status: 200 });
      const listed = await fetchFrom(reader.url + NAMESPACES);
      expect(listed.text).toContain(`"name":"${name}"`);
    }
  });

  (findProgram('etcdctl') === undefined ? test.skip : test)('store the identity once', () => {
    const keys = etcdctl(together.etcd, ['get', '', '--from-key', '--keys-only']);
    expect(keys.match(/identity\/cluster/g)).toHaveLength(1);
    const [version] = /"version":\d+/.exec(
      etcdctl(together.etcd, [
        'get',
        keys.split('\n').find((key) => key.endsWith('identity/cluster')) ?? '',
        '-w=json',
      ]),
    ) as RegExpExecArray;
    expect(version).toBe('"version":1');
  });
});
