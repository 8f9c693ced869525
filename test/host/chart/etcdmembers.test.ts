/** The three etcd members that the chart has by default, with their flags and files: one may fail at any time. */
import { once } from 'node:events';
import { connect, type PeerCertificate } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
import { startTraffic } from '../../fixtures/clients/traffic.js';
import { eventually } from '../../fixtures/wait.js';

const NAMESPACE = 'management';
const ETCD = 'release-management-apiserver-etcd';
const NUMBERS = [0, 1, 2];
const OBJECTS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const SECRET = `/api/v1/namespaces/${NAMESPACE}/secrets/${ETCD}-tls`;
const MERGE = { 'content-type': 'application/merge-patch+json' };
const METRICS = 2381;

interface Member {
  readonly pod: Pod;
  /** The URL of its metrics. */
  readonly url: string;
  container: Container;
}

/**
 * The certificate that clients get now. A member that has only one of two replaced files refuses connections, so
 * clients retry.
 */
const certificateOf = (host: string, port: number): Promise<PeerCertificate> =>
  eventually('a certificate', () => connectOnce(host, port).catch(() => undefined));

async function connectOnce(host: string, port: number): Promise<PeerCertificate> {
  const socket = connect({ host, port, rejectUnauthorized: false });
  // The member requires a client certificate, and closes the connection.
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerCertificate();
  socket.destroy();
  return certificate;
}

const hindrance = noContainers();
if (hindrance !== undefined) console.warn(`the members of etcd are NOT RUN: ${hindrance}`);
describeWith('etcd');
describeWith('helm');
(hindrance === undefined ? describeWith(NEWEST_HOST.apiserver) : describe.skip)(
  'three members of etcd',
  () => {
    let host: HostCluster;
    let api: Client;
    let pods: PodRunner;
    let server: Container | undefined;
    let serverPod: Pod;
    let port = 0;
    const members: Member[] = [];
    const beside: Container[] = [];
    const ports: Record<number, number> = {};
    /** The names of objects whose creates got 201. */
    const acknowledged: string[] = [];

    const address = (number: number): string => `127.0.77.${number + 1}`;
    const says = async (member: Member, path: string, what: RegExp): Promise<boolean> => {
      const answer = await fetch(`${member.url}${path}`).catch(() => undefined);
      return answer?.status === 200 && what.test(await answer.text());
    };

    async function startMember(number: number): Promise<Member> {
      const name = `${ETCD}-${number}`;
      const pod = await onePod(host.api, NAMESPACE, name, ({ metadata }) => metadata.name === name);
      const url = `http://${address(number)}:${ports[METRICS]}`;
      return { pod, url, container: await pods.start(pod) };
    }

    /** Every attempt uses a new name, as a failed one may have been executed. */
    let tries = 0;
    const write = (): Promise<string> =>
      eventually('a write that succeeds', async () => {
        const name = `object-${(tries += 1)}`;
        const { status } = await api.send('POST', OBJECTS, { metadata: { name } });
        if (status === 201) acknowledged.push(name);
        return status === 201 && name;
      });
    const stored = async (): Promise<string[]> => {
      const { text } = await api.send('GET', OBJECTS);
      return (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items.map(
        ({ metadata }) => metadata.name,
      );
    };

    beforeAll(async () => {
      host = await plainHost(NEWEST_HOST);
      await made(host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
      port = await freePort();
      for (const each of [2379, 2380, METRICS]) ports[each] = await freePort();
      const names = NUMBERS.map((number) => [`${ETCD}-${number}.${ETCD}.${NAMESPACE}.svc`, address(number)]);
      pods = podRunner(host, { names: Object.fromEntries(names) as Record<string, string>, ports });
      api = client({ url: `https://127.0.0.1:${port}` });
      const items = render(['replicas=1', `server.port=${port}`]).filter(
        ({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined,
      );
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
      kubectl(host).run(['apply', '-f', '-'], { input });
    });
    afterAll(async () => {
      await server?.stop();
      for (const container of beside) await container.stop();
      for (const { container } of members) await container.stop();
      await host?.stop();
    });

    test('find each other, and a server stores its objects', async () => {
      members.push(...(await Promise.all(NUMBERS.map(startMember))));
      serverPod = await onePod(host.api, NAMESPACE, 'the server', ofPart('server'));
      server = await pods.start(serverPod);
      const ready = (): Promise<boolean> =>
        api.send('GET', '/readyz').then(
          ({ status }) => status === 200,
          () => false,
        );
      await eventually('the server is ready', ready).catch((error: unknown) => {
        const logs = [server, ...members.map(({ container }) => container)].map((each) => each?.log());
        throw new Error(`${String(error)}: ${logs.join('\n')}`);
      });
      const name = await write();
      expect(await stored()).toContain(name);
    });

    test.each(['the one that leads', 'another that leads, when the first is back'])(
      'writes go on when one is killed: %s',
      async () => {
        const leader = await eventually('a leader', async () => {
          for (const member of members)
            if (await says(member, '/metrics', /^etcd_server_is_leader 1$/m)) return member;
          return undefined;
        });
        await leader.container.kill();
        for (let count = 0; count < 5; count += 1) await write();
        expect(await stored()).toEqual(expect.arrayContaining(acknowledged));
        leader.container = await pods.start(leader.pod);
        await eventually('its return', () => says(leader, '/readyz', /ok/));
      },
    );

    test('certificates and their authority are replaced under load: nothing restarts, no request fails', async () => {
      for (const { pod } of members) beside.push(await pods.startBeside(pod, 'certificates', ['--keep=1']));
      const shown = (): Promise<PeerCertificate[]> =>
        Promise.all(NUMBERS.map((number) => certificateOf(address(number), ports[2379] as number)));
      const traffic = startTraffic(`https://127.0.0.1:${port}`, OBJECTS);
      for (const [parts, what] of [
        [['server.crt'], 'serialNumber'],
        [['ca.key', 'server.crt'], 'issuer'],
      ] as const) {
        const before = await shown();
        const body = { data: Object.fromEntries(parts.map((part) => [part, null])) };
        expect((await host.api.send('PATCH', SECRET, body, MERGE)).status).toBe(200);
        await eventually('that all members show others', async () => {
          const now = await shown();
          return now.every((each, at) => !isDeepStrictEqual(each[what], before[at]?.[what]));
        });
        await pods.refresh(serverPod);
        // The server rereads files every five seconds, and reconnects.
        await new Promise((resolve) => setTimeout(resolve, 6000));
        await traffic.more(100);
      }
      const { failures } = await traffic.stop();
      expect(failures).toEqual([]);
      // Members that still run accept one that has only the new certificates.
      const [member] = members as [Member];
      await member.container.kill();
      member.container = await pods.start(member.pod);
      await eventually('its return', () => says(member, '/readyz', /ok/));
      await write();
      for (const each of beside) expect(each.log()).toContain('wrote other certificates');
    });

    test('all have the acknowledged writes', async () => {
      expect(acknowledged.length).toBeGreaterThan(10);
      expect(await stored()).toEqual(expect.arrayContaining(acknowledged));
    });
  },
);
