/** Of several servers on one etcd, one runs the controllers; another takes over when it stops or dies. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client } from '../../fixtures/clients/client.js';
import { etcdIsThere } from '../../fixtures/stores/etcd.js';
import { lastLed, rolesOf, type Roles } from '../../fixtures/servers/leadership.js';
import type { ServerFixture } from '../../fixtures/servers/server.js';
import { startTwoOnEtcd, type ServersOnEtcd } from '../../fixtures/servers/serversonetcd.js';
import { eventually } from '../../fixtures/wait.js';

const suite = etcdIsThere() ? describe : describe.skip;
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/management-controllers';

suite('two servers on one etcd', () => {
  let together: ServersOnEtcd;
  let servers: ServersOnEtcd['servers'];

  beforeAll(async () => {
    together = await startTwoOnEtcd({ controllers: '*' });
    ({ servers } = together);
  });
  afterAll(() => together?.stop());

  const holder = async (server: ServerFixture): Promise<string> => {
    const { text } = await client(server).send('GET', LEASE);
    return (JSON.parse(text) as { spec?: { holderIdentity?: string } }).spec?.holderIdentity ?? '';
  };
  const roles = (): Promise<Roles<ServerFixture>> => rolesOf(servers, () => holder(servers[0]));

  test('one leads', async () => {
    const { other, identity } = await roles();
    expect(await holder(other)).toBe(identity);
    expect(lastLed(other)).toBeUndefined();
  });

  test('the metrics of each server show whether it is the leader', async () => {
    const { leader, other } = await roles();
    const told = async (server: ServerFixture): Promise<string | undefined> => {
      const { text } = await client(server).send('GET', '/metrics');
      return /^leader_election_master_status\{name="management-controllers"\} (.*)$/m.exec(text)?.[1];
    };
    expect([await told(leader), await told(other)]).toEqual(['1', '0']);
  });

  test.each([
    // It releases the lease, so that another server need not wait until the lease expires.
    ['stops', (server: ServerFixture) => server.stop(), true],
    ['is killed', (server: ServerFixture) => server.kill(), false],
  ])('one that %s is followed by the other, whose controllers then work', async (_how, end, givesBack) => {
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
  });
});
