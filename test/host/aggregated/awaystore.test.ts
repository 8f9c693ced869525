/**
 * docs/restore.md, "What the cluster waits for": while the store is away namespaces of the host do not end, and restarted controllers
 * compute no quota; the commands of the page end that, and bring everything back.
 */
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.js';
import { scriptsUnder } from '../../fixtures/docs/docssteps.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made, untilAvailable } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { describeWith, execute } from '../../fixtures/program.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const MAPS = '/api/v1/namespaces/limited/configmaps';
/** The commands that take the APIService away, and those that bring it back. */
const [TAKE_AWAY = '', BRING_BACK = ''] = scriptsUnder(
  readPage('docs/restore.md'),
  'What the cluster waits for',
);

interface Namespace {
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly { readonly status: string; readonly message: string }[];
  };
}
interface Quota {
  readonly status?: { readonly hard?: object };
}

describeWith('kubectl');
describeWith(NEWEST_HOST.apiserver)('a cluster whose store is away', () => {
  let aggregated: AggregatedHost;

  const api = () => aggregated.host.api;
  const secretsOf = (namespace: string): string => `${API}/namespaces/${namespace}/sharedsecrets`;
  const namespace = async (name: string): Promise<Namespace | undefined> => {
    const { status, text } = await api().send('GET', `/api/v1/namespaces/${name}`);
    return status === 404 ? undefined : (JSON.parse(text) as Namespace);
  };
  const ends = (name: string): Promise<unknown> =>
    eventually(`the end of ${name}`, async () => (await namespace(name)) === undefined);
  const quotaIsComputed = async (name: string): Promise<boolean> => {
    const { text } = await api().send('GET', `/api/v1/namespaces/${name}/resourcequotas/objects`);
    return (JSON.parse(text) as Quota).status?.hard !== undefined;
  };
  const limit = (name: string) =>
    made(api(), `/api/v1/namespaces/${name}/resourcequotas`, {
      metadata: { name: 'objects' },
      spec: { hard: { 'count/configmaps': '1' } },
    });
  function follow(commands: string): void {
    const { host, directory } = aggregated;
    const path = `${dirname(findProgram('kubectl') as string)}:/usr/bin:/bin`;
    const env = { PATH: path, HOME: directory, KUBECONFIG: host.kubeconfig };
    const script = `cd '${directory}'\n${commands}`;
    expect(execute('bash', ['-euo', 'pipefail', '-c', script], { env })).toMatchObject({ code: 0 });
  }

  beforeAll(async () => {
    aggregated = await startAggregated(NEWEST_HOST, ours());
    await aggregated.host.restartControllers();
    for (const name of ['empty', 'held', 'kept', 'limited', 'before'])
      await made(api(), '/api/v1/namespaces', { metadata: { name } });
    for (const name of ['held', 'kept'])
      await made(api(), secretsOf(name), { metadata: { name: 'one' }, spec: {} });
    await limit('before');
    await eventually('a quota, while the store is there', () => quotaIsComputed('before'));
    await aggregated.etcd.kill();
    // One that has the objects in memory answers the quota controller.
    expect(await aggregated.server.stop()).toBe(0);
    await aggregated.server.start();
    await untilAvailable(api(), { ...ours(), plural: '' });
    await aggregated.host.restartControllers();
  });
  afterAll(() => aggregated?.stop());

  test('deletes no namespace to its end, and computes no quota', async () => {
    await limit('limited');
    for (const name of ['empty', 'held'])
      expect((await api().send('DELETE', `/api/v1/namespaces/${name}`)).status).toBe(200);
    for (const name of ['empty', 'held']) {
      await eventually(`what ${name} waits for`, async () =>
        (await namespace(name))?.status.conditions?.some(
          ({ status, message }) => status === 'True' && message.includes(GROUP),
        ),
      );
      expect((await namespace(name))?.status.phase).toBe('Terminating');
    }
    expect(await quotaIsComputed('limited')).toBe(false);
    await made(api(), MAPS, { metadata: { name: 'unlimited' } });
  });

  test('does both after the commands of the page', async () => {
    follow(TAKE_AWAY);
    for (const name of ['empty', 'held']) await ends(name);
    await eventually('the quota', () => quotaIsComputed('limited'));
    const { status, text } = await api().send('POST', MAPS, { metadata: { name: 'limited' } });
    expect([status, text]).toEqual([403, expect.stringContaining('exceeded quota')]);
    expect((await api().send('GET', `${secretsOf('kept')}/one`)).status).toBe(404);
  });

  test('serves everything again when the store and the APIService are back', async () => {
    await aggregated.etcd.restart();
    follow(BRING_BACK);
    await eventually(
      'the object',
      async () => (await api().send('GET', `${secretsOf('kept')}/one`)).status === 200,
    );
    expect((await api().send('POST', secretsOf('kept'), { metadata: { name: 'two' } })).status).toBe(201);
    expect((await api().send('DELETE', '/api/v1/namespaces/kept')).status).toBe(200);
    await eventually(
      'the end of objects whose namespace has ended',
      async () => (await api().send('GET', `${secretsOf('held')}/one`)).status === 404,
    );
    await ends('kept');
  });
});
