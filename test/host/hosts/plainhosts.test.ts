/** The hosts that suites pass on are as after their start, or are not passed on. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { inventory } from '../../fixtures/clients/inventory.js';
import { availability, made } from '../../fixtures/host/apiservice.js';
import { NEWEST_HOST, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { EtcdKeys } from '../../fixtures/plainhosts/etcdkeys.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import setup from '../../fixtures/plainhosts/setup.mjs';
import teardown from '../../fixtures/plainhosts/teardown.mjs';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const NAMESPACES = '/api/v1/namespaces';
const POLICY = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/probes';
const TRUST = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const GROUP = { group: 'absent.example.com', version: 'v1' };
const MERGE = { 'content-type': 'application/merge-patch+json' };

/** All objects; without those that the host's programs write all the time. */
const things = async ({ api }: HostCluster): Promise<string[]> =>
  (await inventory(api)).filter((line) => !/\/events |\/leases /.test(line));

// Other suites would take what is given back.
beforeAll(setup);
afterAll(teardown);

describeWith(NEWEST_HOST.apiserver)('a plain host', () => {
  test('is given back as it was, whatever a suite made, changed and removed', async () => {
    const first = await plainHost(NEWEST_HOST);
    const [before, trusted] = [await things(first), (await first.api.send('GET', TRUST)).text];
    const service = { namespace: 'default', name: 'absent', port: 443 };
    const priorities = { groupPriorityMinimum: 1000, versionPriority: 15 };
    await made(first.api, '/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: `v1.${GROUP.group}` },
      spec: { ...GROUP, ...priorities, service, insecureSkipTLSVerify: true },
    });
    await eventually(
      'a server that is away',
      async () => (await availability(first.api, GROUP))?.status === 'False',
    );
    for (const name of ['stays', 'ends']) {
      await made(first.api, NAMESPACES, { metadata: { name } });
      const held = { metadata: { name: 'held', finalizers: ['example.com/held'] } };
      await made(first.api, `${NAMESPACES}/${name}/configmaps`, held);
    }
    // Its controller cannot end it: it finds what is held, and no server of the group.
    expect((await first.api.send('DELETE', `${NAMESPACES}/ends`)).status).toBe(200);
    expect((await first.api.send('PATCH', TRUST, { data: { more: 'x' } }, MERGE)).status).toBe(200);
    expect((await first.api.send('DELETE', POLICY)).status).toBe(200);
    // kube-apiserver makes it after five minutes, and panics where it is gone after five more.
    const compacted = { key: Buffer.from('compact_rev_key').toString('base64'), value: 'MQ==' };
    await new EtcdKeys(first.etcd.endpoint).change([], [compacted]);
    await first.restartControllers();
    await first.stop();

    const second = await plainHost(NEWEST_HOST);
    expect(second.url).toBe(first.url);
    try {
      expect(await things(second)).toEqual(before);
      expect(await new EtcdKeys(second.etcd.endpoint).all()).toContainEqual(
        expect.objectContaining(compacted),
      );
      const dataOf = (text: string): unknown => (JSON.parse(text) as { data: unknown }).data;
      expect(dataOf((await second.api.send('GET', TRUST)).text)).toEqual(dataOf(trusted));
      await made(second.api, NAMESPACES, { metadata: { name: 'stays' } });
      const account = `${NAMESPACES}/stays/serviceaccounts/default`;
      await eventually('an account', async () => (await second.api.send('GET', account)).status === 200);
    } finally {
      await second.stop();
    }
  });

  test('is replaced where nobody can make it what it was', async () => {
    const first = await plainHost(NEWEST_HOST);
    const finalizers = ['example.com/held'];
    await made(first.api, NAMESPACES, { metadata: { name: 'held', finalizers } });
    expect((await first.api.send('DELETE', `${NAMESPACES}/held`)).status).toBe(200);
    await first.stop();
    const second = await plainHost(NEWEST_HOST);
    expect(second.url).not.toBe(first.url);
    expect((await second.api.send('GET', `${NAMESPACES}/held`)).status).toBe(404);
    await second.stop();
  });
});
