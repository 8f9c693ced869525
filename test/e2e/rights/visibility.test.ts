/** Lists and watches contain only the objects that the caller may see, and reveal nothing about others. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startEmbedded } from '../../fixtures/servers/engines.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { ADMIN, headersOf } from '../../fixtures/clients/impersonation.js';
import { kubectl } from '../../fixtures/clients/kubectl.js';
import {
  TEAMS,
  get,
  parsed,
  pathOf,
  secretsIn,
  SecretRealm,
  type Item,
} from '../../fixtures/objects/secretrealm.js';
import { fetchFrom } from '../../fixtures/servers/server.js';

const hasKubectl = findProgram('kubectl') !== undefined;

describe('lists and watches', () => {
  let on: SecretRealm;
  beforeAll(async () => {
    on = await SecretRealm.start(startEmbedded);
  });
  afterAll(() => on.remove());

  describe('lists of secrets', () => {
    beforeAll(async () => {
      for (const name of ['who-a', 'who-b', 'who-c']) await on.namespace(name);
      await on.create('who-a', 'qmine', { owner: { user: 'olga' } }, { color: 'red' });
      await on.create('who-a', 'qshared', {
        access: [get('ute'), { verbs: ['list', 'watch'], users: ['lara'] }],
      });
      await on.create('who-a', 'qteam', { owner: { team: 'blue' } }, { color: 'red' });
      await on.create('who-a', 'zsecret');
      await on.create('who-b', 'qmine', { access: [get('ute')] }, { color: 'red' });
      await on.create('who-b', 'qpublic', { access: [get('*')] });
      await on.create('who-c', 'qhidden', { access: [{ verbs: ['update'], users: ['upton'] }] });
      await on.grant('who-a', 'wanda', 'all-lists', ['list']);
      await on.grant('who-a', 'gerd', 'all-gets', ['get']);
      await on.grant('', 'clara', 'lists-all', ['list', 'watch']);
      await on.grant('', 'nora', 'named', ['get'], { resourceNames: ['qmine'] });
      await on.grant('who-a', 'sub', 'below', ['get'], { resources: ['sharedsecrets/status'] });
    });

    const a = ['who-a/qmine', 'who-a/qshared', 'who-a/qteam', 'who-a/zsecret'];
    const b = ['who-b/qmine', 'who-b/qpublic'];
    const rows: [string, string[] | 403, string[] | 403, string[] | 403][] = [
      ['olga', ['who-a/qmine'], ['who-b/qpublic'], ['who-a/qmine', 'who-b/qpublic']],
      ['ute', ['who-a/qshared'], b, ['who-a/qshared', ...b]],
      ['tina', ['who-a/qteam'], ['who-b/qpublic'], ['who-a/qteam', 'who-b/qpublic']],
      ['wanda', a, ['who-b/qpublic'], [...a, 'who-b/qpublic']],
      ['gerd', a, ['who-b/qpublic'], [...a, 'who-b/qpublic']],
      ['clara', a, b, [...a, ...b, 'who-c/qhidden']],
      ['nora', ['who-a/qmine'], b, ['who-a/qmine', ...b]],
      ['lara', [], ['who-b/qpublic'], ['who-b/qpublic']],
      ['sub', 403, ['who-b/qpublic'], ['who-b/qpublic']],
      ['upton', 403, ['who-b/qpublic'], ['who-b/qpublic']],
      ['nobody', 403, ['who-b/qpublic'], ['who-b/qpublic']],
    ];
    const cases = rows.flatMap(([user, inA, inB, all]) => [
      [user, 'who-a', inA] as const,
      [user, 'who-b', inB] as const,
      [user, '', all] as const,
    ]);

    test.each(cases)('%s in "%s": %j', async (user, where, expected) => {
      const path = secretsIn(where);
      const answer = await on.send(user, 'GET', path);
      const stream = await on.watch(
        user,
        where,
        'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
      );
      if (expected === 403) {
        expect([answer.status, stream.status()]).toEqual([403, 403]);
        return;
      }
      const ours = (paths: readonly string[]): string[] => paths.filter((one) => one.startsWith('who-'));
      expect(ours(parsed(answer).items.map(pathOf))).toEqual(expected);
      // A watch of all objects needs a right to watch or get all of them: a user who may only list sees the objects
      // that they may get.
      if (user !== 'wanda') {
        await stream.until(expected.length);
        expect(ours(stream.events.map(({ object }) => pathOf(object as unknown as Item)))).toEqual(expected);
      }
      stream.stop();
      const each = 'limit=1';
      const paged: string[] = [];
      for (let next = ''; ;) {
        const page = parsed(await on.ok(user, 'GET', `${path}?${each}&continue=${next}`));
        paged.push(...page.items.map(pathOf));
        const { continue: more = '', remainingItemCount } = page.metadata;
        if (where !== '') expect(remainingItemCount ?? 0).toBe(expected.length - paged.length || 0);
        if (more === '') break;
        next = more;
      }
      expect(ours(paged)).toEqual(expected);
      const red = expected.filter((one) => ['who-a/qmine', 'who-a/qteam', 'who-b/qmine'].includes(one));
      expect(ours(await on.list(user, where, '?labelSelector=color%3Dred'))).toEqual(red);
      expect(ours(await on.list(user, where, '?labelSelector=color%3Dred&limit=500'))).toEqual(red);
      const named = expected.filter((one) => one.endsWith('/qmine'));
      expect(ours(await on.list(user, where, '?fieldSelector=metadata.name%3Dqmine'))).toEqual(named);
      expect(ours(await on.list(user, where, '?resourceVersion=0'))).toEqual(expected);
      for (const accept of [
        'application/json;as=Table;v=v1;g=meta.k8s.io',
        'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
        'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
        'application/yaml',
      ]) {
        const { text } = await fetchFrom(on.running.server.url + path, {
          headers: { accept, ...headersOf(user, TEAMS) },
        });
        const mentioned = [...new Set([...a, ...b, 'who-c/qhidden'])].filter((one) =>
          text.includes(one.split('/')[1] as string),
        );
        const names = new Set(expected.map((one) => one.split('/')[1]));
        expect(new Set(mentioned.map((one) => one.split('/')[1]))).toEqual(names);
      }
    });

    test('a page shows nothing of hidden objects', async () => {
      const page = parsed(await on.ok('olga', 'GET', `${secretsIn('who-a')}?limit=1`));
      expect(page.items.map(pathOf)).toEqual(['who-a/qmine']);
      expect(page.metadata).toEqual({ resourceVersion: page.metadata.resourceVersion });
    });

    test('a deletecollection touches what the caller sees and may delete', async () => {
      await on.namespace('who-d');
      for (const name of ['d1', 'd2', 'd3', 'd4']) await on.create('who-d', name);
      await on.share('who-d', 'd1', [{ verbs: ['get', 'delete'], users: ['dora'] }, get('ute')]);
      await on.share('who-d', 'd2', [get('dora')]);
      await on.share('who-d', 'd3', [{ verbs: ['delete'], users: ['dora'] }]);
      expect((await on.send('ute', 'DELETE', secretsIn('who-d'))).status).toBe(403);
      const { items } = parsed(await on.ok('dora', 'DELETE', secretsIn('who-d')));
      expect(items.map(pathOf)).toEqual(['who-d/d1']);
      expect(await on.list(ADMIN, 'who-d')).toEqual(['who-d/d2', 'who-d/d3', 'who-d/d4']);
    });

    (hasKubectl ? test : test.skip)('kubectl get as a plain user', () => {
      const { kubeconfig, directory } = on.running.server;
      const lines = kubectl({ kubeconfig, directory, as: 'ute' })
        .run(['get', 'ss', '-n', 'who-b'])
        .trim()
        .split('\n');
      expect(lines[0]?.split(/\s{2,}/)).toEqual(['NAME', 'DISPLAY NAME', 'ENTRIES', 'OWNER', 'AGE']);
      expect(lines.slice(1).map((line) => line.split(/\s+/)[0])).toEqual(['qmine', 'qpublic']);
    });
  });

  test('lists have exactly the objects that the user may get, with random access rules', async () => {
    await on.namespace('prop');
    const users = ['u1', 'u2', 'tina', 'nobody'];
    const names = ['p1', 'p2', 'p3'];
    const rule = fc.record({
      verbs: fc.subarray(['get', 'list', 'update', '*']),
      users: fc.subarray(['u1', 'u2', '*']),
      teams: fc.subarray(['blue']),
    });
    const write = fc.record({
      name: fc.constantFrom(...names),
      gone: fc.nat(4),
      owner: fc.constantFrom({ user: 'u1' }, { user: 'u2' }, { user: 'admin' }, { user: '', team: 'blue' }),
      access: fc.array(rule, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 3 }), async (writes) => {
        for (const { name, gone, owner, access } of writes) {
          const path = `${secretsIn('prop')}/${name}`;
          if (gone === 0) await on.send(ADMIN, 'DELETE', path);
          else {
            const apply = {
              apiVersion: 'management.svc.example/v1',
              kind: 'SharedSecret',
              metadata: { name },
              spec: { owner, access },
            };
            await on.ok(
              ADMIN,
              'PATCH',
              `${path}?fieldManager=t&force=true`,
              apply,
              'application/apply-patch+yaml',
            );
          }
        }
        const there = await on.list(ADMIN, 'prop');
        for (const user of users) {
          const readable = [];
          for (const one of there)
            if ((await on.send(user, 'GET', `${secretsIn('prop')}/${one.slice(5)}`)).status === 200)
              readable.push(one);
          const listed = await on.send(user, 'GET', secretsIn('prop'));
          expect(listed.status === 403 ? [] : parsed(listed).items.map(pathOf)).toEqual(readable);
        }
      }),
      { numRuns: 15 },
    );
  });
});
