/**
 * Servers on one etcd behind a load balancer are restarted one after the other, or killed, while clients send requests.
 *
 * The clients retry as client-go does (`rest/request.go`, `rest/with_retry.go`): any request that gets 429 or 5xx with
 * Retry-After, a GET whose connection breaks, and (`net/http`) a request on a kept-alive connection of which nothing
 * was sent, or that came after an HTTP/2 GOAWAY.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { CLIENT_LOAD, startLoad, type ClientLoad } from '../fixtures/clients/clientload.js';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../fixtures/stores/etcd.js';
import { balance, type LoadBalancer } from '../fixtures/servers/loadbalancer.js';
import { describeWith } from '../fixtures/program.js';
import { startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const suite = etcdIsThere() ? describeWith(CLIENT_LOAD) : describe.skip;

suite('two servers behind a load balancer', () => {
  let etcd: EtcdFixture;
  let servers: readonly ServerFixture[] = [];
  let service: LoadBalancer;
  let kubeconfig: string;
  const loads: ClientLoad[] = [];

  beforeAll(async () => {
    etcd = await startEtcd();
    const flags = ['--shutdown-delay-duration=1s'];
    servers = await Promise.all([0, 1].map(() => startServer({ etcdServers: etcd.endpoint, flags })));
    const [first] = servers as [ServerFixture];
    service = await balance(servers.map(({ port }) => port));
    kubeconfig = join(first.directory, 'service.kubeconfig');
    writeFileSync(kubeconfig, readFileSync(first.kubeconfig, 'utf8').replaceAll(first.url, service.url));
  });
  afterEach(() => {
    for (const load of loads.splice(0)) load.kill();
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all(servers.map((server) => server.remove()));
    await etcd.stop();
  });

  test('no request fails, over HTTP/2, HTTP/1.1, and with a connection for each round', async () => {
    const clients = await Promise.all(
      [[], ['--http1'], ['--fresh']].map((flags) => startLoad(kubeconfig, flags)),
    );
    loads.push(...clients);
    for (const server of servers) {
      await server.restart();
      await eventually('a server that is ready again', () =>
        Promise.resolve(service.ready().length === servers.length),
      );
    }
    for (const load of clients) {
      const summary = await load.finish();
      expect(load.failures).toEqual([]);
      expect(summary.objects).toBeGreaterThan(10);
    }
  });

  /** The error of a request whose server dies before it responds, if client-go does not retry the request. */
  const BROKEN = /EOF|connection reset|connection refused|broken pipe|connection lost/;

  test('a server that is killed loses only the requests it had not answered', async () => {
    const load = await startLoad(kubeconfig, ['--workers=8']);
    loads.push(load);
    for (const server of servers) {
      await server.kill();
      const others = servers.filter((other) => other !== server);
      await eventually('the other server alone', async () => service.ready().length === others.length);
      await server.restart();
      await eventually('a server that is ready again', async () => service.ready().length === servers.length);
    }
    const summary = await load.finish();
    expect(summary.objects).toBeGreaterThan(10);
    expect(load.failures.filter(({ error }) => !BROKEN.test(error))).toEqual([]);
  });
});
