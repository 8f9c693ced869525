/** Watches, resumed watches and pages while the rights of their caller change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ENGINES } from '../../fixtures/servers/engines.js';
import { ADMIN } from '../../fixtures/clients/impersonation.js';
import { RBAC, get, parsed, secretsIn, SecretRealm } from '../../fixtures/objects/secretrealm.js';
import { eventually } from '../../fixtures/wait.js';
import type { Watching } from '../../fixtures/clients/watchevents.js';

describe.each(ENGINES)('on the %s engine', (_engine, start) => {
  let on: SecretRealm;
  beforeAll(async () => {
    on = await SecretRealm.start(start);
  });
  afterAll(() => on.remove());

  describe('watches', () => {
    let count = 0;
    let where: string;
    const fresh = async (): Promise<void> => {
      where = `watch-${(count += 1)}`;
      await on.namespace(where);
      await on.create(where, 'known', { access: [get('ute')] });
      await on.create(where, 'hidden');
    };
    const open = async (user = 'ute', at = where): Promise<Watching> => {
      const version = await on.versionOf(user, at);
      return on.watch(user, at, `resourceVersion=${version}`);
    };

    test('report objects that become visible or hidden, and no changes of hidden ones', async () => {
      await fresh();
      const [one, everywhere] = [await open(), await open('ute', '')];
      await on.create(where, 'new', { access: [get('ute')] });
      await on.create(where, 'foreign');
      await on.ok(ADMIN, 'PATCH', `${secretsIn(where)}/hidden`, { spec: { displayName: 'x' } });
      await on.ok(ADMIN, 'PATCH', `${secretsIn(where)}/known`, { spec: { displayName: 'x' } });
      await on.delete(where, 'foreign');
      await on.delete(where, 'known');
      await on.delete(where, 'new');
      await one.until(4);
      await everywhere.until(4);
      // A right is by name: where it is seen to end when the object is there anew, the watch ends, too.
      await on.create(where, 'known');
      await sleep(100);
      const all = ['ADDED new', 'MODIFIED known', 'DELETED known', 'DELETED new'];
      for (const said of [one.said(), everywhere.said()]) {
        const end = said.indexOf('ERROR 410');
        expect(said.slice(0, end < 0 ? undefined : end)).toEqual(all.slice(0, end < 0 ? undefined : end));
        // The right on the object that was deleted is the first that may be seen to end.
        expect(end < 0 || end > 1).toBe(true);
      }
      one.stop();
      everywhere.stop();
    });

    const changes: [string, () => Promise<unknown>][] = [
      ['a right on another object', () => on.share(where, 'hidden', [get('ute')])],
      ['a right that ends', () => on.share(where, 'known', [])],
      ['a wide right', () => on.grant(where, 'ute', 'wide', ['get'])],
      ['a wide right in the cluster', () => on.grant('', 'ute', `wide-${where}`, ['list', 'watch'])],
      [
        'the object given away',
        () => on.ok(ADMIN, 'PATCH', `${secretsIn(where)}/hidden`, { spec: { owner: { user: 'ute' } } }),
      ],
    ];
    test.each(changes)(
      '%s ends them with 410, older resumes and continue tokens too',
      async (_what, change) => {
        await fresh();
        for (const name of ['known-2', 'known-3']) await on.create(where, name, { access: [get('ute')] });
        const version = await on.versionOf('ute', where);
        const page = parsed(await on.ok('ute', 'GET', `${secretsIn(where)}?limit=1`)).metadata
          .continue as string;
        const stream = await open();
        const other = await open('upton-of-nothing', 'default').catch(() => undefined);
        expect(other?.status()).toBeUndefined();
        await change();
        await stream.until(1);
        expect(stream.said()).toEqual(['ERROR 410']);
        await eventually('the end', () => Promise.resolve(stream.ended()));
        const resumed = await on.watch('ute', where, `resourceVersion=${version}`);
        await resumed.until(1);
        expect(resumed.said()).toEqual(['ERROR 410']);
        expect(resumed.events[0]?.object.reason).toBe('Expired');
        const next = await on.send('ute', 'GET', `${secretsIn(where)}?limit=1&continue=${page}`);
        expect(next.status).toBe(410);
        const exact = `?resourceVersion=${version}&resourceVersionMatch=Exact`;
        expect((await on.send('ute', 'GET', secretsIn(where) + exact)).status).toBe(410);
        const anew = await open();
        await on.create(where, 'later', { access: [get('ute')] });
        await anew.until(1);
        expect(anew.said()).toEqual(['ADDED later']);
        anew.stop();
        for (const role of [`wide-${where}`])
          await on.send(ADMIN, 'DELETE', `${RBAC}/clusterrolebindings/${role}`);
      },
    );

    test('a wide right that ends', async () => {
      await fresh();
      await on.grant(where, 'walt', 'wide', ['list', 'watch']);
      await on.share(where, 'known', [get('walt')]);
      const version = await on.versionOf('walt', where);
      const stream = await open('walt');
      await on.create(where, 'another');
      await stream.until(1);
      await on.revoke(where, 'wide');
      await stream.until(2);
      expect(stream.said()).toEqual(['ADDED another', 'ERROR 410']);
      expect(await on.list('walt', where)).toEqual([`${where}/known`]);
      const resumed = await on.watch('walt', where, `resourceVersion=${version}`);
      await resumed.until(1);
      expect(resumed.said()).toEqual(['ERROR 410']);
    });

    test('rights of others, and on absent objects, end nothing', async () => {
      await fresh();
      const version = await on.versionOf('ute', where);
      const stream = await open();
      await on.share(where, 'hidden', [get('vera')]);
      await on.grant(where, 'ute', 'future', ['get'], { resourceNames: ['future'] });
      await on.grant(where, 'ute', 'maps', ['get'], { apiGroups: [''], resources: ['configmaps'] });
      await on.create(where, 'future');
      await stream.until(1);
      expect(stream.said()).toEqual(['ADDED future']);
      const resumed = await on.watch('ute', where, `resourceVersion=${version}`);
      await resumed.until(1);
      expect(resumed.said()).toEqual(['ADDED future']);
      stream.stop();
      resumed.stop();
    });

    test('a write after the right has ended is not sent', async () => {
      await fresh();
      const stream = await open();
      await Promise.all([
        on
          .share(where, 'known', [])
          .then(() =>
            on.ok(ADMIN, 'PATCH', `${secretsIn(where)}/known`, { spec: { data: { k: 'c2VjcmV0' } } }),
          ),
      ]);
      await eventually('the end', () => Promise.resolve(stream.ended()));
      expect(JSON.stringify(stream.events)).not.toContain('c2VjcmV0');
    });

    test('a watch is resumed after a restart', async () => {
      await fresh();
      const version = await on.versionOf('ute', where);
      await on.create(where, 'meanwhile', { access: [get('ute')] });
      await on.running.server.restart();
      const resumed = await on.watch('ute', where, `resourceVersion=${version}`);
      await resumed.until(1);
      expect(resumed.said()).toEqual(['ADDED meanwhile']);
      resumed.stop();
    });
  });
});
