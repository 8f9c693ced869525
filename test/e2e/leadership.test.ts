/** Of several servers on one etcd, one runs the controllers; another takes over when it stops or dies. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client } from '../fixtures/client.js';
import { etcdIsThere } from '../fixtures/etcd.js';
import type { ServerFixture } from '../fixtures/server.js';
import { startTwoOnEtcd } from '../fixtures/serversonetcd.js';
import type { ServersOnEtcd } from '../fixtures/serversonetcd.js';
import { eventually } from '../fixtures/wait.js';

const suite = etcdIsThere() ? describe : describe.skip;
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/management-controllers';
const LEADS = /"identity":"([^"]+)".*leads: runs the controllers/g;

suite('two servers on one etcd', () => {
  let together: ServersOnEtcd;
  let servers: ServersOnEtcd['servers'];

  beforeAll(async () => {
    together = await startTwoOnEtcd({ controllers: '*' });
    ({ servers } = together);
  }, 60_000);
  afterAll(() => together?.stop());

  const holder = async (server: ServerFixture): Promise<string> => {
    const { text } = await client(server).send('GET', LEASE);
    return (JSON.parse(text) as { spec?: { holderIdentity?: string } }).spec?.holderIdentity ?? '';
  };
  const lastLed = (server: ServerFixture): string | undefined =>
    [...server.log().matchAll(LEADS)].at(-1)?.[1];

  /** The one that leads, and the other. */
  async function roles(): Promise<{ leader: ServerFixture; other: ServerFixture; identity: string }> {
    return eventually('a leader', async () => {
      const identity = await holder(servers[0]);
      const leader = servers.find((server) => lastLed(server) === identity);
      const other = servers.find((server) => server !== leader);
      return leader && other && { leader, other, identity };
    });
  }

  test('one leads', async () => {
    const { other, identity } = await roles();
    expect(await holder(other)).toBe(identity);
    expect(lastLed(other)).toBeUndefined();
  });

  test.each([
    // It gives the lease back: the other need not wait until it has ended.
    ['stops', (server: ServerFixture) => server.stop(), true],
    ['is killed', (server: ServerFixture) => server.kill(), false],
  ])(
    'one that %s is followed by the other, whose controllers then work',
    async (_how, end, givesBack) => {
      const { leader, other, identity } = await roles();
      await end(leader);
      expect((await holder(other)) === identity).toBe(!givesBack);
      const next = await eventually('the next leader', async () => {
        const found = await holder(other);
        return found !== '' && found !== identity && found;
      });
      await eventually("the leader's word", async () => lastLed(other) === next);
      const { send } = client(other);
      const name = `led-by-${servers.indexOf(other)}`;
      expect((await send('POST', '/api/v1/namespaces', { metadata: { name } })).status).toBe(201);
      const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
      await eventually('the work of a controller', async () => (await send('GET', account)).status === 200);
      await leader.restart();
    },
    90_000,
  );
});
