/** The etcd of the chart is full: the command of docs/full-etcd.md, in the container of a server, makes room. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.js';
import { freePort } from '../../../hack/bench/processes.js';
import { made } from '../../fixtures/host/apiservice.js';
import { render } from '../../fixtures/host/chart.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { kubectl } from '../../fixtures/clients/kubectl.js';
import { noContainers, type Container } from '../../fixtures/host/container.js';
import { NEWEST_HOST, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { ofPart, onePod } from '../../fixtures/host/hostpods.js';
import { podRunner, type Pod, type PodRunner } from '../../fixtures/host/podcontainers.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const NAMESPACE = 'management';
const ETCD = 'release-management-apiserver-etcd';
const OBJECTS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const FULL = 'etcd has no space left';
const MANY = 10;
/** A busy machine may be late with an answer now and then. */
const LATE = /"reason": ?"(ServerTimeout|Timeout|ServiceUnavailable|TooManyRequests)"/;
const MERGE = { 'content-type': 'application/merge-patch+json' };
const PAGE = readPage('docs/full-etcd.md');
/** What kubectl runs in the container `server`, as the page has it. */
const COMMAND =
  /^kubectl -n management exec deployment\/management-apiserver -c server -- (.+)$/m.exec(PAGE)?.[1] ?? '';

const hindrance = noContainers();
if (hindrance !== undefined) console.warn(`the Pods of the chart are NOT RUN: ${hindrance}`);
describeWith('etcd');
describeWith('helm');
(hindrance === undefined ? describeWith(NEWEST_HOST.apiserver) : describe.skip)(
  'the etcd of the chart',
  () => {
    let host: HostCluster;
    let api: Client;
    let pods: PodRunner;
    let serverPod: Pod;
    let etcd: Container;
    let server: Container;

    beforeAll(async () => {
      host = await plainHost(NEWEST_HOST);
      await made(host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
      const port = await freePort();
      const ports = { 2379: await freePort(), 2380: await freePort(), 2381: await freePort() };
      pods = podRunner(host, { names: { [`${ETCD}-0.${ETCD}.${NAMESPACE}.svc`]: '127.0.0.1' }, ports });
      api = client({ url: `https://127.0.0.1:${port}` });
      const values = ['replicas=1', `server.port=${port}`, 'etcd.replicas=1', 'etcd.quota=104857600'];
      const items = render(values).filter(
        ({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined,
      );
      kubectl(host).run(['apply', '-f', '-'], {
        input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
      });
      etcd = await pods.start(await onePod(host.api, NAMESPACE, 'etcd', ofPart('etcd')));
      serverPod = await onePod(host.api, NAMESPACE, 'the server', ofPart('server'));
      server = await pods.start(serverPod);
      const created = (): Promise<boolean> =>
        api.send('POST', OBJECTS, { metadata: { name: 'one' } }).then(
          ({ status }) => status === 201,
          () => false,
        );
      await eventually('an object', created).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${server.log()}`);
      });
    });
    afterAll(async () => {
      await server?.stop();
      await etcd?.stop();
      await host?.stop();
    });

    const write = (data: string) =>
      api.send(
        'PATCH',
        `${OBJECTS}/one`,
        { spec: { data: { a: Buffer.from(data).toString('base64') } } },
        MERGE,
      );

    /** Runs a command in the container of the server, as kubectl does. */
    async function exec(command: readonly string[]): Promise<{ code: number | null; text: string }> {
      const first = serverPod.spec.containers[0]!;
      const containers = [{ ...first, name: 'exec', command, args: [] }];
      const pod = { ...serverPod, spec: { ...serverPod.spec, containers } };
      const container = await pods.startBeside(pod, 'exec');
      return { code: await container.ended, text: container.log() };
    }

    test('takes deletes meanwhile, and writes again after the command of the page', async () => {
      expect((await api.send('POST', OBJECTS, { metadata: { name: 'other' } })).status).toBe(201);
      const refusals: string[] = [];
      for (let round = 0; refusals.length < MANY && !refusals.at(-1)?.includes(FULL); round += 1) {
        const { status, text } = await write(String(round % 10).repeat(700_000));
        if (status !== 200) refusals.push(text);
      }
      expect(refusals.pop()).toContain(FULL);
      for (const text of refusals) expect(text).toMatch(LATE);
      // Deletes are done meanwhile.
      expect((await api.send('DELETE', `${OBJECTS}/other`)).status).toBe(200);
      expect((await api.send('GET', `${OBJECTS}/other`)).status).toBe(404);
      const { code, text } = await exec(COMMAND.split(' '));
      expect([code, text]).toEqual([0, expect.stringContaining('of a quota of 100.0 MiB')]);
      expect(text).toContain('the alarm NOSPACE is disarmed: etcd takes writes again');
      expect((await write('little')).status).toBe(200);
    });
  },
);
