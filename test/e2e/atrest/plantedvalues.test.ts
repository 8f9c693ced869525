/**
 * Writes secret values with every verb, and searches all places that must not contain them: responses, the log, the
 * audit log, events, metrics and the store.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, eventsOf, type Client } from '../../fixtures/clients/client.js';
import { etcdIsThere, etcdctl, startEtcd, type EtcdFixture } from '../../fixtures/stores/etcd.js';
import { holdsText, withoutRoom } from '../../fixtures/stores/holdstext.js';
import { startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const KEYS = `${API}/ownedaccesskeys`;
const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/**
 * Where a value may appear. `key`: only in the response that created it. `private`: in no response. `data`: where its
 * kind is read. `token`: nowhere else.
 */
type Sort = 'key' | 'private' | 'data' | 'token';
interface Planted {
  readonly sort: Sort;
  readonly value: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

class Plants {
  readonly all: Planted[] = [];
  private count = 0;

  /** Returns a new unique value. */
  make(sort: Sort): string {
    this.count += 1;
    const value = `planted-${sort}-${this.count}-${'x'.repeat(32)}`;
    this.all.push({ sort, value });
    return value;
  }

  /** Returns a new unique value of Secret data. */
  data(): string {
    const value = base64(`planted-data-${(this.count += 1)}-of-a-secret`);
    this.all.push({ sort: 'data', value });
    return value;
  }

  /** All values, including the decoded values of Secret data. */
  everywhere(): string[] {
    const data = this.of('data').map((value) => Buffer.from(value, 'base64').toString());
    return [...this.of('key', 'private', 'data', 'token'), ...data];
  }

  of(...sorts: Sort[]): string[] {
    return this.all.filter(({ sort }) => sorts.includes(sort)).map(({ value }) => value);
  }
}

/** Searches the values in every form: also as base64 and as UTF-16. */
const leaked = (values: readonly string[], texts: readonly Buffer[]): string[] =>
  values.filter((value) => texts.some((text) => holdsText(text, value)));

const found = (values: readonly string[], ...texts: readonly (string | Buffer)[]): string[] =>
  values.filter((value) => texts.some((text) => text.includes(value)));

for (const engine of ['embedded', 'etcd'] as const) {
  const suite = engine === 'etcd' && !etcdIsThere() ? describe.skip : describe;
  suite(`values planted in a server on ${engine}`, () => {
    let etcd: EtcdFixture | undefined;
    let server: ServerFixture;
    let admin: Client;
    let policies: string;
    const plants = new Plants();

    async function send(
      method: string,
      path: string,
      body?: object,
      headers?: Record<string, string>,
    ): Promise<Answer> {
      const answer = await admin.send(method, path, body, headers);
      expect(leaked(plants.everywhere(), [Buffer.from(server.log())])).toEqual([]);
      return answer;
    }

    async function must(...request: Parameters<typeof send>): Promise<string> {
      const { status, text } = await send(...request);
      expect([status < 300, text]).toEqual([true, expect.anything()]);
      return text;
    }

    const key = (name: string, spec: object): object => ({
      kind: 'OwnedAccessKey',
      apiVersion: `${GROUP}/v1`,
      metadata: { name },
      spec,
    });

    beforeAll(async () => {
      policies = mkdtempSync(join(tmpdir(), 'planted-'));
      const policy = join(policies, 'policy.yaml');
      writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n');
      etcd = engine === 'etcd' ? await startEtcd() : undefined;
      server = await startServer({
        controllers: '*',
        flags: ['--v=10', '--audit-policy-file', policy, '--audit-log-maxsize=1', '--audit-log-maxbackup=0'],
        ...(etcd !== undefined && { etcdServers: etcd.endpoint }),
      });
      admin = client(server);
    });
    afterAll(async () => {
      await server.remove();
      await etcd?.stop();
      rmSync(policies, { recursive: true, force: true });
    });

    test('keys and connector data are shown by the write that sets a key, and by no other', async () => {
      const [k, c] = [() => plants.make('key'), () => plants.make('private')];
      const spec = (): { key: string; identity: object } => ({ key: k(), identity: { ConnectorData: c() } });
      const path = `${KEYS}/planted`;
      const set = async (wanted: string, ...request: Parameters<typeof send>): Promise<string> => {
        const text = await must(...request);
        expect(found(plants.of('key', 'private'), text)).toEqual([wanted]);
        return text;
      };
      const first = spec();
      const annotations = {
        'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(key('planted', first)),
      };
      const body = key('planted', first) as { metadata: object };
      const created = await set(first.key, 'POST', KEYS, {
        ...body,
        metadata: { ...body.metadata, annotations },
      });
      const put = spec();
      const { metadata } = JSON.parse(created) as { metadata: object };
      await set(put.key, 'PUT', path, { ...key('planted', put), metadata });
      const merged = spec();
      await set(merged.key, 'PATCH', path, { spec: merged }, MERGE);
      const strategic = spec();
      const type = { 'content-type': 'application/strategic-merge-patch+json' };
      await set(strategic.key, 'PATCH', path, { spec: strategic }, type);
      const patched = spec();
      await set(
        patched.key,
        'PATCH',
        path,
        Object.entries(patched).map(([member, value]) => ({ op: 'add', path: `/spec/${member}`, value })),
        JSON_PATCH,
      );
      const applied = spec();
      await set(applied.key, 'PATCH', `${path}?fieldManager=m&force=true`, key('planted', applied), APPLY);
      const upserted = spec();
      await set(upserted.key, 'PATCH', `${KEYS}/applied?fieldManager=m`, key('applied', upserted), APPLY);
      const dry = spec();
      await must('PATCH', `${path}?dryRun=All`, { spec: dry }, MERGE);
      for (const refused of [
        key('refused', { ...spec(), ttl: -1 }),
        key('refused', { ...spec(), type: 'None' }),
        key('refused', { ...spec(), key: applied.key }),
        key('refused', { key: `${k()} two words` }),
      ]) {
        const answer = await send('POST', KEYS, refused);
        expect([answer.status, found(plants.of('key', 'private'), answer.text)]).toEqual([422, []]);
      }
      expect((await client(server, applied.key).send('GET', '/version')).status).toBe(200);
      expect((await client(server, first.key).send('GET', '/version')).status).toBe(401);
    });

    test('tokens are in the answer that issues them alone', async () => {
      const tokenOf = (text: string): string => {
        const { token } = (JSON.parse(text) as { status: { token: string } }).status;
        plants.all.push({ sort: 'token', value: token.slice(-60) });
        return token;
      };
      const request = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
      const path = '/api/v1/namespaces/default/serviceaccounts';
      await admin.send('POST', path, {
        kind: 'ServiceAccount',
        apiVersion: 'v1',
        metadata: { name: 'robot' },
      });
      const token = tokenOf(await must('POST', `${path}/robot/token`, request));
      expect((await client(server, token).send('GET', '/version')).status).toBe(200);
      const review = { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec: { token } };
      await must('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
      const direct = { kind: 'DirectClusterEndpointToken', apiVersion: `${GROUP}/v1`, metadata: {} };
      const user = { kind: 'User', apiVersion: `${GROUP}/v1`, metadata: { name: 'anna' } };
      await must('POST', `${API}/users`, user);
      const annas = JSON.parse(await must('POST', KEYS, key('annas', { user: 'anna' }))) as {
        spec: { key: string };
      };
      plants.all.push({ sort: 'key', value: annas.spec.key });
      const { status, text } = await client(server, annas.spec.key).send(
        'POST',
        `${API}/directclusterendpointtokens`,
        direct,
      );
      if (status === 201) tokenOf(text);
      const wrong = plants.make('token');
      expect((await client(server, `mk_${wrong}`).send('GET', '/version')).status).toBe(401);
    });

    test('data of Secrets is where the Secret is', async () => {
      const plant = async (
        kind: string,
        apiVersion: string,
        path: string,
        at: (value: string) => object,
      ): Promise<void> => {
        const object = (): object => ({
          kind,
          apiVersion,
          metadata: { name: 'planted' },
          ...at(plants.data()),
        });
        const one = `${path}/planted`;
        const written = JSON.parse(await must('POST', path, object())) as { metadata: object };
        await must('PUT', one, { ...object(), metadata: written.metadata });
        await must('PATCH', one, at(plants.data()), MERGE);
        await must('PATCH', `${one}?fieldManager=m&force=true`, object(), APPLY);
        const last = plants.all.at(-1)?.value ?? '';
        expect(found([last], (await send('GET', one)).text)).toEqual([last]);
        expect(found(plants.of('data'), (await send('GET', one, undefined, TABLE)).text)).toEqual([]);
      };
      const management = `${API}/namespaces/default`;
      await plant('Secret', 'v1', '/api/v1/namespaces/default/secrets', (a) => ({ data: { a } }));
      await plant('SharedSecret', `${GROUP}/v1`, `${management}/sharedsecrets`, (a) => ({
        spec: { data: { a } },
      }));
      await plant('ProjectSecret', `${GROUP}/v1`, `${management}/projectsecrets`, (a) => ({
        spec: { data: { a } },
      }));
    });

    test('credentials of clusters are in their Secret', async () => {
      const token = plants.make('token');
      const config = JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [{ name: 'u', user: { token } }],
      });
      plants.all.push({ sort: 'data', value: base64(config) });
      const data = { config: base64(config), bad: base64(config.replace('"token"', '"tokenFile"')) };
      const secrets = '/api/v1/namespaces/management-system/secrets';
      await must('POST', secrets, { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'east' }, data });
      for (const name of ['config', 'bad']) {
        const spec = { config: { secretName: 'east', key: name } };
        await must('POST', `${API}/clusters`, {
          kind: 'Cluster',
          apiVersion: `${GROUP}/v1`,
          metadata: { name },
          spec,
        });
        const reason = name === 'bad' ? 'KubeconfigRefused' : 'Unreachable';
        const until = Date.now() + 20_000;
        while (!(await send('GET', `${API}/clusters/${name}`)).text.includes(reason) && Date.now() < until);
        expect((await send('GET', `${API}/clusters/${name}`)).text).toContain(reason);
      }
    });

    test('nothing else shows them', async () => {
      const never = plants.of('key', 'private', 'token');
      const every = plants.all.map(({ value }) => value);
      expect(every.length).toBeGreaterThan(40);
      const { groups } = JSON.parse((await send('GET', '/apis')).text) as {
        groups: { preferredVersion: { groupVersion: string } }[];
      };
      const versions = [
        '/api/v1',
        ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
      ];
      const paths: string[] = [];
      for (const version of versions) {
        const { resources } = JSON.parse((await send('GET', version)).text) as {
          resources: { name: string; verbs: string[] }[];
        };
        const watched = resources.filter(({ verbs }) => verbs.includes('watch'));
        paths.push(...watched.map(({ name }) => `${version}/${name}`));
      }
      expect(paths.length).toBeGreaterThan(15);
      await Promise.all(
        paths.map(async (path) => {
          const list = (await send('GET', path)).text;
          const table = (await send('GET', path, undefined, TABLE)).text;
          const { resourceVersion } = (JSON.parse(list) as { metadata: { resourceVersion: string } })
            .metadata;
          const after = Math.max(64, Number(resourceVersion) - 20);
          const query = `watch=1&resourceVersion=${after}&timeoutSeconds=1`;
          const watched = JSON.stringify(await eventsOf(admin, `${path}?${query}`, 1000));
          expect([path, found(never, list, table, watched)]).toEqual([path, []]);
          const holds = /\/(secrets|sharedsecrets|projectsecrets)$/.test(path);
          expect([path, found(every, ...(holds ? [table] : [list, table, watched]))]).toEqual([path, []]);
        }),
      );
      for (const path of [
        '/metrics',
        '/debug/controllers/garbage-collector/graph',
        '/debug/caches',
        '/debug/requests',
        '/readyz?verbose',
        '/openapi/v2',
      ])
        expect([path, found(every, (await send('GET', path)).text)]).toEqual([path, []]);
    });

    test('the audit log, the log and the store do not hold them', async () => {
      const filesIn = (directory: string): Buffer[] =>
        readdirSync(directory, { recursive: true, withFileTypes: true })
          .filter((file) => file.isFile())
          .map((file) => withoutRoom(readFileSync(join(file.parentPath, file.name))));
      const stored = (): Buffer[] => [
        ...filesIn(join(server.directory, 'data')),
        ...(etcd === undefined
          ? []
          : [Buffer.from(etcdctl(etcd, ['get', '--prefix', ''])), ...filesIn(etcd.dataDir)]),
      ];
      const audits = join(server.directory, 'data', 'audit');
      await eventually('a rotated audit log', async () => {
        await must('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles');
        return readdirSync(audits).length > 1;
      });
      await server.stop();
      const audit = filesIn(audits);
      for (const text of ['"level":"RequestResponse"', '"verb":"patch"'])
        expect(audit.some((file) => file.includes(text))).toBe(true);
      const every = plants.everywhere();
      expect(leaked(every, audit)).toEqual([]);
      expect(leaked(every, [Buffer.from(server.log())])).toEqual([]);
      const files = stored();
      expect(leaked(every, files)).toEqual([]);
      // The search itself works: it finds unencrypted text.
      expect(files.some((file) => holdsText(file, '"name":"kube-system"'))).toBe(true);
    });
  });
}
