/** The objects of a real host as a storage, and caches over it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Namespace } from '../../../api/core/v1/namespace.js';
import { Role } from '../../../api/rbac.authorization.k8s.io/v1/role.js';
import type { KubeObject } from '../../../api/resource.js';
import { encodeObject } from '../../../pkg/apimachinery/encoding/canonical.js';
import { startCache } from '../../../pkg/cache/cache.js';
import type { Cache } from '../../../pkg/cache/interface.js';
import { connectHost } from '../../../pkg/hostclient/connect.js';
import type { HostClient } from '../../../pkg/hostclient/interface.js';
import { foreignCodec } from '../../../pkg/registry/object/record.js';
import { hostStorage } from '../../../pkg/storage/host/storages.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { HOST_RELEASES, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { describeWith, execute } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
const keyOf = (name: string): string => `registry/rbac.authorization.k8s.io/roles/default/${name}`;
const rule = (verb: string): object => ({ apiGroups: [''], resources: ['pods'], verbs: [verb] });

function role(name: string, verb = 'get'): KubeObject {
  const metadata = { name, namespace: 'default', uid: 'of-ours', labels: { a: 'b' } };
  return { kind: 'Role', apiVersion: 'rbac.authorization.k8s.io/v1', metadata, rules: [rule(verb)] };
}

for (const host of HOST_RELEASES)
  describeWith(host.apiserver)(`the objects of Kubernetes ${host.release}`, () => {
    let cluster: HostCluster;
    let client: HostClient;
    let roles: Storage;
    let cache: Cache;

    beforeAll(async () => {
      cluster = await plainHost(host);
      client = await connectHost({ kubeconfig: cluster.kubeconfig });
      roles = hostStorage(client, Role);
      const { decode, restamp } = foreignCodec(Role);
      const source = {
        resource: 'roles',
        prefix: 'registry/rbac.authorization.k8s.io/roles/',
        namespaced: true,
      };
      cache = startCache(roles, [{ ...source, decode, setResourceVersion: restamp }], { loadHistory: 0 });
      await cache.ready;
    });

    afterAll(async () => {
      await cache?.close();
      client?.close();
      await cluster?.stop();
    });

    const create = async (name: string): Promise<number> =>
      (await roles.commit([{ key: keyOf(name), value: encodeObject(role(name)), expect: 'absent' }]))
        .revisions[0] as number;
    const shown = (name: string): KubeObject | undefined =>
      cache.resource('roles').latest().get(`default/${name}`)?.object();

    test('a created object is there, with the fields that the host sets, and in the cache at its revision', async () => {
      const revision = await create('one:with-colon');
      const { record } = await roles.get(keyOf('one:with-colon'));
      expect(record?.revision).toBe(revision);
      const object = JSON.parse(record?.value.toString() ?? '') as KubeObject;
      expect(object).toMatchObject({
        kind: 'Role',
        metadata: { name: 'one:with-colon', labels: { a: 'b' } },
      });
      expect(object.metadata.uid).not.toBe('of-ours');
      expect(object.metadata.resourceVersion).toBeUndefined();
      expect(await cache.resource('roles').reach(revision, 10_000)).toBe(true);
      expect(shown('one:with-colon')).toMatchObject({ metadata: { resourceVersion: String(revision) } });
    });

    test('expectations: exists, conflict and not found tell what is there', async () => {
      const revision = await create('two');
      await expect(create('two')).rejects.toMatchObject({
        failure: { code: 'exists', current: { revision } },
      });
      const value = encodeObject(role('two', 'list'));
      for (const write of [{ value }, {}])
        await expect(
          roles.commit([{ key: keyOf('two'), ...write, expect: revision - 1 }]),
        ).rejects.toMatchObject({ failure: { code: 'conflict', current: { revision } } });
      for (const write of [{ value: encodeObject(role('none')) }, {}])
        await expect(
          roles.commit([{ key: keyOf('none'), ...write, expect: revision }]),
        ).rejects.toMatchObject({ failure: { code: 'not found' } });
      const { record } = await roles.get(keyOf('two'));
      const changed = JSON.parse(record?.value.toString() ?? '') as KubeObject;
      changed.rules = [rule('list')];
      const put = { key: keyOf('two'), value: encodeObject(changed), expect: revision };
      const { revisions } = await roles.commit([put]);
      expect(revisions[0]).toBeGreaterThan(revision);
      await roles.commit([{ key: keyOf('two'), expect: revisions[0] as number }]);
      expect((await roles.get(keyOf('two'))).record).toBeUndefined();
      await eventually('the cache', async () => shown('two') === undefined);
    });

    test('writes without an expectation', async () => {
      const put = (expect: 'any' | 'present'): Promise<unknown> =>
        roles.commit([{ key: keyOf('three'), value: encodeObject(role('three')), expect }]);
      await expect(put('present')).rejects.toMatchObject({ failure: { code: 'not found' } });
      await put('any');
      await roles.commit([{ key: keyOf('three'), expect: 'present' }]);
      await expect(roles.commit([{ key: keyOf('three'), expect: 'any' }])).rejects.toMatchObject({
        failure: { code: 'not found' },
      });
    });

    test('a refusal of the host has its message', async () => {
      const key = 'registry/rbac.authorization.k8s.io/roles/absent/r';
      const absent = { ...role('r'), metadata: { name: 'r', namespace: 'absent' } };
      await expect(
        roles.commit([{ key, value: encodeObject(absent), expect: 'absent' }]),
      ).rejects.toMatchObject({
        code: 404,
        message: expect.stringContaining('namespaces "absent" not found'),
      });
      const bad = { ...role('bad'), rules: [{ verbs: [] }] };
      await expect(
        roles.commit([{ key: keyOf('bad'), value: encodeObject(bad), expect: 'absent' }]),
      ).rejects.toMatchObject({ code: 422, message: expect.stringContaining('refuses to create') });
    });

    test('a scan of several pages is of one revision', async () => {
      await Promise.all(Array.from({ length: 520 }, (_, i) => create(`many-${String(i).padStart(3, '0')}`)));
      const revision = await roles.currentRevision();
      await cluster.api.send('DELETE', `${RBAC}/many-007`);
      const prefix = 'registry/rbac.authorization.k8s.io/roles/default/many-';
      const { records } = await roles.scan({ start: prefix, end: `${prefix}~` }, { revision });
      expect(records).toHaveLength(520);
      await eventually(
        'the cache',
        async () => cache.resource('roles').latest().count('default/many-') === 519,
      );
    });

    test('unknown members are kept', async () => {
      const path = '/api/v1/namespaces/unknown-members';
      await cluster.api.send('POST', '/api/v1/namespaces', {
        metadata: { name: 'unknown-members', annotations: { a: 'b' } },
      });
      const namespaces = hostStorage(client, Namespace);
      const { record } = await namespaces.get('registry/core/namespaces/unknown-members');
      const object = JSON.parse(record?.value.toString() ?? '') as KubeObject;
      const { metadata, ...rest } = JSON.parse((await cluster.api.send('GET', path)).text) as KubeObject;
      delete metadata.resourceVersion;
      expect(object).toEqual({ ...rest, metadata });
    });

    test('a revision that the host has compacted is reported as such', async () => {
      const { endpoint } = cluster.etcd;
      const compact = ['compact', String(await roles.currentRevision()), `--endpoints=${endpoint}`];
      const { code, err } = execute(findProgram('etcdctl') ?? 'etcdctl', compact);
      expect({ code, err }).toMatchObject({ code: 0 });
      const all = { start: 'registry/', end: 'registry0' };
      await expect(roles.scan(all, { revision: 1 })).rejects.toMatchObject({
        failure: { code: 'compacted' },
      });
    });
  });
