/** Lists and watches show each caller what they may see, and tell nothing of the rest. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KubernetesListObject, KubernetesObject } from '@kubernetes/client-node';
import { CustomObjectsApi, KubeConfig, makeInformer } from '@kubernetes/client-node';
import fc from 'fast-check';
import { ENGINES } from '../fixtures/engines.js';
import type { EngineServer } from '../fixtures/engines.js';
import { findProgram } from '../fixtures/etcd.js';
import type { SendAs } from '../fixtures/persons.js';
import { ADMIN, headersOf, sendAs } from '../fixtures/persons.js';
import type { Answer } from '../fixtures/server.js';
import { fetchFrom } from '../fixtures/server.js';
import { eventually } from '../fixtures/wait.js';
import type { Watching } from '../fixtures/watching.js';
import { watching } from '../fixtures/watching.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const TEAMS = { tina: 'blue' };
const kubectl = findProgram('kubectl');

interface Item {
  readonly metadata: { readonly name: string; readonly namespace: string };
}
interface List {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly Item[];
}

const parsed = <T = List>({ text }: Answer): T => JSON.parse(text) as T;
const secretsIn = (namespace: string): string =>
  namespace === '' ? `${API}/sharedsecrets` : `${API}/namespaces/${namespace}/sharedsecrets`;
const pathOf = ({ metadata: { namespace, name } }: Item): string => `${namespace}/${name}`;

describe.each(ENGINES)('on the %s engine', (_engine, start) => {
  let running: EngineServer;
  let send: SendAs;

  const ok = async (...args: Parameters<SendAs>): Promise<Answer> => {
    const answer = await send(...args);
    if (answer.status > 201)
      throw new Error(`${args.slice(0, 3).join(' ')}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const namespace = (name: string): Promise<Answer> =>
    ok(ADMIN, 'POST', '/api/v1/namespaces', { metadata: { name } });
  const create = (where: string, name: string, spec: object = {}, labels: object = {}): Promise<Answer> =>
    ok(ADMIN, 'POST', secretsIn(where), { metadata: { name, labels }, spec });
  const share = (where: string, name: string, access: object[]): Promise<Answer> =>
    ok(ADMIN, 'PATCH', `${secretsIn(where)}/${name}`, { spec: { access } });
  const remove = (where: string, name: string): Promise<Answer> =>
    ok(ADMIN, 'DELETE', `${secretsIn(where)}/${name}`);
  const get = (...users: string[]) => ({ verbs: ['get'], users });
  /** A role of that name for a user; cluster-wide where there is no namespace. */
  async function grant(
    where: string,
    user: string,
    name: string,
    verbs: string[],
    more: object = {},
  ): Promise<void> {
    const [at, kind] = where === '' ? [RBAC, 'ClusterRole'] : [`${RBAC}/namespaces/${where}`, 'Role'];
    const [roles, bindings] =
      where === '' ? ['clusterroles', 'clusterrolebindings'] : ['roles', 'rolebindings'];
    const rules = [{ apiGroups: ['management.svc.example'], resources: ['sharedsecrets'], verbs, ...more }];
    const subjects = [{ apiGroup: GROUP, kind: 'User', name: user }];
    await ok(ADMIN, 'POST', `${at}/${roles}`, { metadata: { name }, rules });
    await ok(ADMIN, 'POST', `${at}/${bindings}`, {
      metadata: { name },
      roleRef: { apiGroup: GROUP, kind, name },
      subjects,
    });
  }
  const revoke = (where: string, name: string): Promise<Answer> =>
    where === ''
      ? ok(ADMIN, 'DELETE', `${RBAC}/clusterrolebindings/${name}`)
      : ok(ADMIN, 'DELETE', `${RBAC}/namespaces/${where}/rolebindings/${name}`);
  const list = async (user: string, where: string, query = ''): Promise<string[]> =>
    parsed(await ok(user, 'GET', secretsIn(where) + query)).items.map(pathOf);
  const watch = (user: string, where: string, query: string): Promise<Watching> =>
    watching(running.server, `${secretsIn(where)}?watch=true&${query}`, headersOf(user, TEAMS));
  const versionOf = async (user: string, where: string): Promise<string> =>
    parsed(await ok(user, 'GET', secretsIn(where))).metadata.resourceVersion;

  beforeAll(async () => {
    running = await start();
    send = sendAs(running.server, TEAMS);
  }, 60_000);
  afterAll(() => running.remove());

  describe('who sees what', () => {
    beforeAll(async () => {
      for (const name of ['who-a', 'who-b', 'who-c']) await namespace(name);
      await create('who-a', 'qmine', { owner: { user: 'olga' } }, { color: 'red' });
      await create('who-a', 'qshared', {
        access: [get('ute'), { verbs: ['list', 'watch'], users: ['lara'] }],
      });
      await create('who-a', 'qteam', { owner: { team: 'blue' } }, { color: 'red' });
      await create('who-a', 'zsecret');
      await create('who-b', 'qmine', { access: [get('ute')] }, { color: 'red' });
      await create('who-b', 'qpublic', { access: [get('*')] });
      await create('who-c', 'qhidden', { access: [{ verbs: ['update'], users: ['upton'] }] });
      await grant('who-a', 'wanda', 'all-lists', ['list']);
      await grant('who-a', 'gerd', 'all-gets', ['get']);
      await grant('', 'clara', 'lists-all', ['list', 'watch']);
      await grant('', 'nora', 'named', ['get'], { resourceNames: ['qmine'] });
      await grant('who-a', 'sub', 'below', ['get'], { resources: ['sharedsecrets/status'] });
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
      const answer = await send(user, 'GET', path);
      const stream = await watch(
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
      // A watch takes a wide right to watch, or to get: who only lists sees what they may get.
      if (user !== 'wanda') {
        await stream.until(expected.length);
        expect(ours(stream.events.map(({ object }) => pathOf(object as unknown as Item)))).toEqual(expected);
      }
      stream.stop();
      const each = 'limit=1';
      const paged: string[] = [];
      for (let next = ''; ;) {
        const page = parsed(await ok(user, 'GET', `${path}?${each}&continue=${next}`));
        paged.push(...page.items.map(pathOf));
        const { continue: more = '', remainingItemCount } = page.metadata;
        if (where !== '') expect(remainingItemCount ?? 0).toBe(expected.length - paged.length || 0);
        if (more === '') break;
        next = more;
      }
      expect(ours(paged)).toEqual(expected);
      const red = expected.filter((one) => ['who-a/qmine', 'who-a/qteam', 'who-b/qmine'].includes(one));
      expect(ours(await list(user, where, '?labelSelector=color%3Dred'))).toEqual(red);
      expect(ours(await list(user, where, '?labelSelector=color%3Dred&limit=500'))).toEqual(red);
      const named = expected.filter((one) => one.endsWith('/qmine'));
      expect(ours(await list(user, where, '?fieldSelector=metadata.name%3Dqmine'))).toEqual(named);
      expect(ours(await list(user, where, '?resourceVersion=0'))).toEqual(expected);
      for (const accept of [
        'application/json;as=Table;v=v1;g=meta.k8s.io',
        'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
        'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
        'application/yaml',
      ]) {
        const { text } = await fetchFrom(running.server.url + path, {
          headers: { accept, ...headersOf(user, TEAMS) },
        });
        const mentioned = [...new Set([...a, ...b, 'who-c/qhidden'])].filter((one) =>
          text.includes(one.split('/')[1] as string),
        );
        const names = new Set(expected.map((one) => one.split('/')[1]));
        expect(new Set(mentioned.map((one) => one.split('/')[1]))).toEqual(names);
      }
    });

    test('a page tells nothing of what is not seen', async () => {
      const page = parsed(await ok('olga', 'GET', `${secretsIn('who-a')}?limit=1`));
      expect(page.items.map(pathOf)).toEqual(['who-a/qmine']);
      expect(page.metadata).toEqual({ resourceVersion: page.metadata.resourceVersion });
    });

    test('a deletecollection touches what the caller sees and may delete', async () => {
      await namespace('who-d');
      for (const name of ['d1', 'd2', 'd3', 'd4']) await create('who-d', name);
      await share('who-d', 'd1', [{ verbs: ['get', 'delete'], users: ['dora'] }, get('ute')]);
      await share('who-d', 'd2', [get('dora')]);
      await share('who-d', 'd3', [{ verbs: ['delete'], users: ['dora'] }]);
      expect((await send('ute', 'DELETE', secretsIn('who-d'))).status).toBe(403);
      const { items } = parsed(await ok('dora', 'DELETE', secretsIn('who-d')));
      expect(items.map(pathOf)).toEqual(['who-d/d1']);
      expect(await list(ADMIN, 'who-d')).toEqual(['who-d/d2', 'who-d/d3', 'who-d/d4']);
    });

    (kubectl === undefined ? test.skip : test)('kubectl get as a plain user', () => {
      const { kubeconfig } = running.server;
      const args = [`--kubeconfig=${kubeconfig}`, '--as=ute', 'get', 'ss', '-n', 'who-b'];
      const { stdout } = spawnSync(kubectl as string, args, { encoding: 'utf8' });
      const lines = stdout.trim().split('\n');
      expect(lines[0]?.split(/\s{2,}/)).toEqual(['NAME', 'DISPLAY NAME', 'KEYS', 'OWNER', 'AGE']);
      expect(lines.slice(1).map((line) => line.split(/\s+/)[0])).toEqual(['qmine', 'qpublic']);
    });
  });

  describe('watches', () => {
    let count = 0;
    let where: string;
    const fresh = async (): Promise<void> => {
      where = `watch-${(count += 1)}`;
      await namespace(where);
      await create(where, 'known', { access: [get('ute')] });
      await create(where, 'hidden');
    };
    const open = async (user = 'ute', at = where): Promise<Watching> => {
      const version = await versionOf(user, at);
      return watch(user, at, `resourceVersion=${version}`);
    };

    test('what begins with the rights, and what ends with them, is an event; what others do is none', async () => {
      await fresh();
      const [one, everywhere] = [await open(), await open('ute', '')];
      await create(where, 'new', { access: [get('ute')] });
      await create(where, 'foreign');
      await ok(ADMIN, 'PATCH', `${secretsIn(where)}/hidden`, { spec: { displayName: 'x' } });
      await ok(ADMIN, 'PATCH', `${secretsIn(where)}/known`, { spec: { displayName: 'x' } });
      await remove(where, 'foreign');
      await remove(where, 'known');
      await create(where, 'known');
      await remove(where, 'new');
      await one.until(4);
      await everywhere.until(4);
      await sleep(100);
      const said = ['ADDED new', 'MODIFIED known', 'DELETED known', 'DELETED new'];
      expect([one.said(), everywhere.said()]).toEqual([said, said]);
      one.stop();
      everywhere.stop();
    });

    const changes: [string, () => Promise<unknown>][] = [
      ['a right on another object', () => share(where, 'hidden', [get('ute')])],
      ['a right that ends', () => share(where, 'known', [])],
      ['a wide right', () => grant(where, 'ute', 'wide', ['get'])],
      ['a wide right in the cluster', () => grant('', 'ute', `wide-${where}`, ['list', 'watch'])],
      [
        'the object given away',
        () => ok(ADMIN, 'PATCH', `${secretsIn(where)}/hidden`, { spec: { owner: { user: 'ute' } } }),
      ],
    ];
    test.each(changes)(
      '%s ends them with 410, older resumes and continue tokens too',
      async (_what, change) => {
        await fresh();
        for (const name of ['known-2', 'known-3']) await create(where, name, { access: [get('ute')] });
        const version = await versionOf('ute', where);
        const page = parsed(await ok('ute', 'GET', `${secretsIn(where)}?limit=1`)).metadata
          .continue as string;
        const stream = await open();
        const other = await open('upton-of-nothing', 'default').catch(() => undefined);
        expect(other?.status()).toBeUndefined();
        await change();
        await stream.until(1);
        expect(stream.said()).toEqual(['ERROR 410']);
        await eventually('the end', () => Promise.resolve(stream.ended()));
        const resumed = await watch('ute', where, `resourceVersion=${version}`);
        await resumed.until(1);
        expect(resumed.said()).toEqual(['ERROR 410']);
        expect(resumed.events[0]?.object.reason).toBe('Expired');
        const next = await send('ute', 'GET', `${secretsIn(where)}?limit=1&continue=${page}`);
        expect(next.status).toBe(410);
        const exact = `?resourceVersion=${version}&resourceVersionMatch=Exact`;
        expect((await send('ute', 'GET', secretsIn(where) + exact)).status).toBe(410);
        const anew = await open();
        await create(where, 'later', { access: [get('ute')] });
        await anew.until(1);
        expect(anew.said()).toEqual(['ADDED later']);
        anew.stop();
        for (const role of [`wide-${where}`])
          await send(ADMIN, 'DELETE', `${RBAC}/clusterrolebindings/${role}`);
      },
    );

    test('a wide right that ends', async () => {
      await fresh();
      await grant(where, 'walt', 'wide', ['list', 'watch']);
      await share(where, 'known', [get('walt')]);
      const version = await versionOf('walt', where);
      const stream = await open('walt');
      await create(where, 'another');
      await stream.until(1);
      await revoke(where, 'wide');
      await stream.until(2);
      expect(stream.said()).toEqual(['ADDED another', 'ERROR 410']);
      expect(await list('walt', where)).toEqual([`${where}/known`]);
      const resumed = await watch('walt', where, `resourceVersion=${version}`);
      await resumed.until(1);
      expect(resumed.said()).toEqual(['ERROR 410']);
    });

    test('rights of others, and on what is not there, end nothing', async () => {
      await fresh();
      const version = await versionOf('ute', where);
      const stream = await open();
      await share(where, 'hidden', [get('vera')]);
      await grant(where, 'ute', 'future', ['get'], { resourceNames: ['future'] });
      await grant(where, 'ute', 'maps', ['get'], { apiGroups: [''], resources: ['configmaps'] });
      await create(where, 'future');
      await stream.until(1);
      expect(stream.said()).toEqual(['ADDED future']);
      const resumed = await watch('ute', where, `resourceVersion=${version}`);
      await resumed.until(1);
      expect(resumed.said()).toEqual(['ADDED future']);
      stream.stop();
      resumed.stop();
    });

    test('nothing of a write that comes after the right has ended is told', async () => {
      await fresh();
      const stream = await open();
      await Promise.all([
        share(where, 'known', []).then(() =>
          ok(ADMIN, 'PATCH', `${secretsIn(where)}/known`, { spec: { data: { k: 'c2VjcmV0' } } }),
        ),
      ]);
      await eventually('the end', () => Promise.resolve(stream.ended()));
      expect(JSON.stringify(stream.events)).not.toContain('c2VjcmV0');
    });

    test('a resume after a restart goes on', async () => {
      await fresh();
      const version = await versionOf('ute', where);
      await create(where, 'meanwhile', { access: [get('ute')] });
      await running.server.restart();
      const resumed = await watch('ute', where, `resourceVersion=${version}`);
      await resumed.until(1);
      expect(resumed.said()).toEqual(['ADDED meanwhile']);
      resumed.stop();
    });
  });

  test('what is listed is what may be read, whoever shares what with whom', async () => {
    await namespace('prop');
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
          if (gone === 0) await send(ADMIN, 'DELETE', path);
          else {
            const apply = {
              apiVersion: 'management.svc.example/v1',
              kind: 'SharedSecret',
              metadata: { name },
              spec: { owner, access },
            };
            await ok(
              ADMIN,
              'PATCH',
              `${path}?fieldManager=t&force=true`,
              apply,
              'application/apply-patch+yaml',
            );
          }
        }
        const there = await list(ADMIN, 'prop');
        for (const user of users) {
          const readable = [];
          for (const one of there)
            if ((await send(user, 'GET', `${secretsIn('prop')}/${one.slice(5)}`)).status === 200)
              readable.push(one);
          const listed = await send(user, 'GET', secretsIn('prop'));
          expect(listed.status === 403 ? [] : parsed(listed).items.map(pathOf)).toEqual(readable);
        }
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  describe('people with access keys', () => {
    const keys: Record<string, string> = {};
    const asKey = (user: string, method: string, path: string, body?: object): Promise<Answer> =>
      fetchFrom(running.server.url + path, {
        method,
        token: keys[user] as string,
        headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    const keyNames = async (user: string): Promise<string[]> =>
      parsed(await asKey(user, 'GET', `${API}/ownedaccesskeys`)).items.map(({ metadata }) => metadata.name);

    beforeAll(async () => {
      await namespace('keys');
      for (const name of ['ann', 'ben']) {
        await ok(ADMIN, 'POST', `${API}/users`, { metadata: { name } });
        const body = { metadata: { name: `${name}-key` }, spec: { user: name } };
        keys[name] = parsed<{ spec: { key: string } }>(
          await ok(ADMIN, 'POST', `${API}/ownedaccesskeys`, body),
        ).spec.key;
      }
    });

    test('they see their own keys', async () => {
      expect(await keyNames('ann')).toEqual(['ann-key']);
      const version = parsed(await asKey('ann', 'GET', `${API}/ownedaccesskeys`)).metadata.resourceVersion;
      const stream = await watching(
        running.server,
        `${API}/ownedaccesskeys?watch=true&resourceVersion=${version}`,
        { authorization: `Bearer ${keys.ann ?? ''}` },
      );
      expect(
        (await asKey('ann', 'POST', `${API}/ownedaccesskeys`, { metadata: { name: 'ann-2' } })).status,
      ).toBe(201);
      expect(
        (await asKey('ben', 'POST', `${API}/ownedaccesskeys`, { metadata: { name: 'ben-2' } })).status,
      ).toBe(201);
      expect((await asKey('ann', 'DELETE', `${API}/ownedaccesskeys/ann-2`)).status).toBe(200);
      await stream.until(2);
      expect(stream.said()).toEqual(['ADDED ann-2', 'DELETED ann-2']);
      stream.stop();
      expect(await keyNames('ann')).toEqual(['ann-key']);
      expect(await keyNames('ben')).toEqual(['ben-2', 'ben-key']);
      expect((await asKey('ann', 'DELETE', `${API}/ownedaccesskeys`)).status).toBe(200);
      const names = parsed(await ok(ADMIN, 'GET', `${API}/ownedaccesskeys`)).items.map(
        ({ metadata }) => metadata.name,
      );
      const left = names.filter((name) => !name.startsWith('admin-kubeconfig-'));
      expect(left).toEqual(['ben-2', 'ben-key']);
      const body = { metadata: { name: 'ann-key' }, spec: { user: 'ann' } };
      keys.ann = parsed<{ spec: { key: string } }>(
        await ok(ADMIN, 'POST', `${API}/ownedaccesskeys`, body),
      ).spec.key;
    });

    test('who joins or leaves a team lists anew', async () => {
      await create('keys', 'of-team', { owner: { team: 'crew' } });
      await create('keys', 'of-ann', { owner: { user: 'ann' } });
      await ok(ADMIN, 'POST', `${API}/teams`, {
        metadata: { name: 'crew' },
        spec: { users: ['ann', 'ben'] },
      });
      const secrets = secretsIn('keys');
      const seen = async (): Promise<string[]> =>
        parsed(await asKey('ann', 'GET', secrets)).items.map(pathOf);
      expect(await seen()).toEqual(['keys/of-ann', 'keys/of-team']);
      const version = parsed(await asKey('ann', 'GET', secrets)).metadata.resourceVersion;
      const path = `${secrets}?watch=true&resourceVersion=${version}`;
      const headers = { authorization: `Bearer ${keys.ann ?? ''}` };
      const stream = await watching(running.server, path, headers);
      await ok(ADMIN, 'PATCH', `${API}/teams/crew`, { spec: { users: ['ben'] } });
      await stream.until(1);
      const resumed = await watching(running.server, path, headers);
      await resumed.until(1);
      expect([stream.said(), resumed.said()]).toEqual([['ERROR 410'], ['ERROR 410']]);
      expect(await seen()).toEqual(['keys/of-ann']);
    });

    test('a scope narrows what is seen', async () => {
      await namespace('loft-p-scoped');
      await create('loft-p-scoped', 'inside', { owner: { user: 'ann' } });
      const body = {
        metadata: { name: 'ann-scoped' },
        spec: { user: 'ann', scope: { projects: [{ project: 'scoped' }] } },
      };
      keys.scoped = parsed<{ spec: { key: string } }>(
        await ok(ADMIN, 'POST', `${API}/ownedaccesskeys`, body),
      ).spec.key;
      const all = parsed(await asKey('scoped', 'GET', secretsIn('')));
      expect(all.items.map(pathOf)).toEqual(['loft-p-scoped/inside']);
      expect((await asKey('scoped', 'GET', secretsIn('keys'))).status).toBe(403);
      const whole = parsed(await asKey('ann', 'GET', secretsIn(''))).items.map(pathOf);
      expect(whole).toEqual(expect.arrayContaining(['keys/of-ann', 'loft-p-scoped/inside']));
    });

    test('an informer ends up with what may be seen', async () => {
      await namespace('informed');
      for (let at = 0; at < 6; at += 1)
        await create('informed', `s-${at}`, { access: at % 2 === 0 ? [get('ann')] : [] });
      const config = new KubeConfig();
      const authority = join(running.server.directory, 'informed');
      writeFileSync(authority, '');
      config.loadFromClusterAndUser(
        { name: 'c', server: running.server.url, skipTLSVerify: true },
        { name: 'ann', token: keys.ann as string },
      );
      const api = config.makeApiClient(CustomObjectsApi);
      const at = {
        group: 'management.svc.example',
        version: 'v1',
        namespace: 'informed',
        plural: 'sharedsecrets',
      };
      const informer = makeInformer(
        config,
        secretsIn('informed'),
        async () => (await api.listNamespacedCustomObject(at)) as KubernetesListObject<KubernetesObject>,
      );
      informer.on('error', () => void setTimeout(() => void informer.start(), 50));
      await informer.start();
      const seen = (): string[] =>
        informer
          .list()
          .map(({ metadata }) => `${metadata?.name ?? ''}@${metadata?.resourceVersion ?? ''}`)
          .sort();
      const changes = [
        () => share('informed', 's-1', [get('ann')]),
        () => share('informed', 's-0', []),
        () => remove('informed', 's-2'),
        () => create('informed', 's-9', { owner: { user: 'ann' } }),
        () => share('informed', 's-3', [get('ann')]),
        () => ok(ADMIN, 'PATCH', `${secretsIn('informed')}/s-4`, { spec: { displayName: 'again' } }),
      ];
      for (const change of changes) {
        await change();
        const { items } = parsed<KubernetesListObject<KubernetesObject>>(
          await asKey('ann', 'GET', secretsIn('informed')),
        );
        const wanted = items
          .map(({ metadata }) => `${metadata?.name ?? ''}@${metadata?.resourceVersion ?? ''}`)
          .sort();
        await eventually('the same', () =>
          Promise.resolve(JSON.stringify(seen()) === JSON.stringify(wanted)),
        );
      }
      await informer.stop();
    }, 60_000);
  });
});
