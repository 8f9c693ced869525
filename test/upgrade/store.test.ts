/** A store that the previous release wrote is opened by this one, and by the previous one again where the store lets it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { representsObjectRights } from '../../pkg/management/sharing/managednames.js';
import { FORMAT_KEY, checkStoreFormat, type StoreFormat } from '../../pkg/storage/storeformat.js';
import { client, type Client } from '../fixtures/clients/client.js';
import { ENGINES, type EngineServer } from '../fixtures/servers/engines.js';
import {
  kindsWithoutObjects,
  objectsAt,
  plantEveryKind,
  type Planted,
} from '../fixtures/objects/everykind.js';
import { describeWithPreviousRelease, previousRelease } from '../fixtures/servers/previousrelease.js';
import { compiledServer } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const PREVIOUS = previousRelease();
const CURRENT = process.env.DIST ?? join(import.meta.dirname, '../../dist');
describeWithPreviousRelease()('a store of the previous release', () => {
  describe.each(ENGINES)('%s', (_name, start) => {
    let engine: EngineServer;
    let admin: Client;
    let planted: Planted;
    let before: StoreFormat;
    let roles: string[];

    beforeAll(async () => {
      engine = await start({ dist: PREVIOUS, controllers: '*' });
      admin = client(engine.server);
      planted = await plantEveryKind(admin);
    });
    afterAll(() => engine?.remove());

    const formatOf = async (): Promise<StoreFormat> => {
      const store = await engine.openStore();
      const { record } = await store.get(FORMAT_KEY);
      await store.close();
      return checkStoreFormat(record ?? { value: Buffer.from('') }, 'the store', Infinity);
    };
    async function expectAllThere(): Promise<void> {
      expect(await objectsAt(admin, planted.objects.keys())).toEqual(planted.objects);
      for (const [token, user] of [
        [planted.key, 'team'],
        [planted.token, 'system:serviceaccount:team:team'],
      ] as const) {
        const review = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
        const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
        const { text } = await client(engine.server, token).send('POST', path, review);
        expect(JSON.parse(text)).toMatchObject({ status: { userInfo: { username: user } } });
      }
    }

    /** Of the roles and bindings that follow from access rules: the previous release may store them, and this one does not. */
    async function objectRoles(): Promise<string[]> {
      const found = await Promise.all(
        ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map(async (plural) => {
          const { text } = await admin.send('GET', `/apis/rbac.authorization.k8s.io/v1/${plural}`);
          const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
          return items.map(({ metadata: { name } }) => name).filter(representsObjectRights);
        }),
      );
      return found.flat();
    }

    test('has objects of every kind', async () => {
      expect(await kindsWithoutObjects(admin)).toEqual([]);
      await expectAllThere();
      roles = await objectRoles();
      expect(roles.length).toBeGreaterThan(1);
      await engine.server.stop();
      before = await formatOf();
    });

    test('is served by this release unchanged, and its keys and tokens log in', async () => {
      await engine.server.restart(CURRENT);
      await expectAllThere();
      expect(await objectRoles()).toEqual(roles);
      const path = '/api/v1/namespaces/team/secrets';
      const secret = { metadata: { name: 'later' }, stringData: { password: 'written by this release' } };
      expect(await admin.send('POST', path, secret)).toMatchObject({ status: 201 });
      planted = {
        ...planted,
        objects: new Map([...planted.objects, ...(await objectsAt(admin, [`${path}/later`]))]),
      };
      await engine.server.restart();
      await expectAllThere();
      await engine.server.stop();
    });

    const statusOfPrevious = () => {
      const place = engine.etcd ?? join(engine.server.directory, 'data');
      const flag = engine.etcd === undefined ? '--data-dir' : '--etcd-servers';
      const keys = `--encryption-key-file=${join(engine.server.directory, 'encryption.key')}`;
      const args = [compiledServer(PREVIOUS), 'encryption', 'status', `${flag}=${place}`, keys];
      const env = { ...process.env, NODE_OPTIONS: '' };
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
      return [status, stderr.trim().split('\n')];
    };

    test('goes back to the previous release where its format lets it, and is refused otherwise', async () => {
      const { oldest } = await formatOf();
      if (oldest > before.format)
        return expect(engine.server.restart(PREVIOUS)).rejects.toThrow('start release');
      await engine.server.restart(PREVIOUS);
      await expectAllThere();
      await eventually('roles as before', async () => isDeepStrictEqual(await objectRoles(), roles));
      await engine.server.restart(CURRENT);
      await expectAllThere();
      expect(await objectRoles()).toEqual(roles);
      await engine.server.stop();
    });

    test('is refused by the previous release in one line when its format is newer, and stays as it is', async () => {
      const store = await engine.openStore();
      const newer = { format: 99, oldest: 99, program: '9.9.0' };
      await store.commit([{ key: FORMAT_KEY, value: Buffer.from(JSON.stringify(newer)), expect: 'any' }]);
      await store.close();
      const told = 'the store has format 99 of release 9.9.0';
      await expect(engine.server.restart(PREVIOUS)).rejects.toThrow(told);
      expect(statusOfPrevious()).toEqual([1, [expect.stringContaining(told)]]);
      expect(await formatOf()).toEqual(newer);
    });
  });
});
