/** docs/full-etcd.md, command by command, on an etcd that is full. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Client, client } from '../fixtures/clients/client.js';
import { etcdctl, type EtcdFixture, startEtcd } from '../fixtures/stores/etcd.js';
import { describeWith } from '../fixtures/program.js';
import { eventually } from '../fixtures/wait.js';
import { follow, type Reader, startReader } from './reader.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const QUOTA = 16 * 1024 * 1024;
const COMMAND = 'management-apiserver store free-space --etcd-servers';

describeWith(
  'kubectl',
  'helm',
  'etcd',
)('docs/full-etcd.md', () => {
  let etcd: EtcdFixture;
  let reader: Reader;
  let api: Client;
  beforeAll(async () => {
    etcd = await startEtcd({ flags: [`--quota-backend-bytes=${QUOTA}`] });
    reader = await startReader({ etcdServers: etcd.endpoint });
    api = client(reader.server);
  });
  afterAll(async () => {
    await reader?.remove();
    await etcd?.stop();
  });

  const MERGE = { 'content-type': 'application/merge-patch+json' };
  const create = (name: string, data = 'x', finalizers: readonly string[] = []) =>
    api.send('POST', MAPS, { metadata: { name, finalizers }, data: { data } });
  const update = (name: string, data: string) =>
    api.send('PATCH', `${MAPS}/${name}`, { data: { data } }, MERGE);
  /** Writes until etcd has no space left; gives the refusal. What it has no time for is written again, as clients do. */
  async function fill(write: (round: number, data: string) => ReturnType<typeof update>): Promise<string> {
    for (let round = 0; ; round += 1) {
      const { status, text } = await write(round, String(round % 10).repeat(900_000));
      if (text.includes('etcd has no space left')) return text;
      if (status >= 300) expect(text).toContain('"code":503');
    }
  }
  const isFull = (full: 0 | 1): Promise<unknown> =>
    eventually('the metric', async () =>
      (await api.send('GET', '/metrics')).text.includes(`\nmanagement_apiserver_etcd_full ${full}\n`),
    );
  const follows = () =>
    follow(reader, 'docs/full-etcd.md', {
      words: {
        'http://127.0.0.1:2379': etcd.endpoint,
        '4100.2 MiB before, 12.5 MiB now, of a quota of 4096.0':
          '… MiB before, … MiB now, of a quota of 16.0',
      },
    });

  test('says what still works, and its command makes room', async () => {
    await create('plain');
    await create('held', 'x', ['example.com/held']);
    expect(await fill((_round, data) => update('held', data))).toContain('store free-space');
    expect((await api.send('GET', `${MAPS}/held`)).status).toBe(200);
    expect((await api.send('DELETE', `${MAPS}/held`)).status).toBe(503);
    expect((await api.send('DELETE', `${MAPS}/plain`)).status).toBe(200);
    await isFull(1);
    await follows();
    expect((await create('again')).status).toBe(201);
    expect((await api.send('DELETE', `${MAPS}/held`)).status).toBe(200);
    await isFull(0);
  });

  test('its messages are those of the command', async () => {
    await fill((round, data) => create(`record-${round}`, data));
    // What is stored is half of the quota or more: in the rest may be gaps that fit no record.
    await etcd.restart([`--quota-backend-bytes=${QUOTA / 4}`]);
    expect(await reader.run(`${COMMAND} ${etcd.endpoint}`)).toMatchObject({
      status: 1,
      text: expect.stringMatching(/: what is stored does not fit: .* MiB, of a quota of 4\.0 MiB\. Raise /),
    });
    await etcd.restart([`--quota-backend-bytes=${4 * QUOTA}`]);
    expect(etcdctl(etcd, ['alarm', 'list'])).toContain('NOSPACE');
    expect(await reader.run(`${COMMAND} ${etcd.endpoint}`)).toMatchObject({
      status: 0,
      text: expect.stringContaining('the alarm NOSPACE is disarmed: etcd takes writes again'),
    });
    await eventually('a write', async () => (await create('third')).status === 201);
    for (const [flags, message] of [
      ['store free-space --data-dir data', 'name an etcd with --etcd-servers'],
      [
        `${COMMAND.replace('management-apiserver ', '')} ${etcd.endpoint} --bump-revision 1`,
        'takes no --bump-revision',
      ],
      ['store free-space --etcd-servers http://127.0.0.1:1', 'the store fails (etcd at http://127.0.0.1:1)'],
    ] as const)
      expect(await reader.run(`management-apiserver ${flags}`)).toMatchObject({
        status: 1,
        text: expect.stringMatching(
          new RegExp(`^management-apiserver: [^\\n]*${message.replaceAll(/[()]/g, '\\$&')}[^\\n]*\\n$`),
        ),
      });
  });
});
