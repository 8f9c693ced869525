/**
 * Two servers behind Kubernetes are restarted one after the other, or killed, while clients of the cluster send
 * requests: with client-go, through the aggregator, which sends each request to one of the servers that are ready
 * according to the EndpointSlices.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ours } from '../../fixtures/host/backends.js';
import { CLIENT_LOAD, startLoad, STEADY, type ClientLoad } from '../../fixtures/clients/clientload.js';
import { endpointAddress } from '../../fixtures/host/endpoints.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { startReplicas, type Replicas } from '../../fixtures/host/replicas.js';
import { eventually } from '../../fixtures/wait.js';

const address = endpointAddress();
if (address === undefined)
  console.warn('SKIPPED: endpoints may not be of the loopback, and there is nothing else');
const suite = address === undefined ? describe.skip : describeWith(CLIENT_LOAD);
const MINUTES_5 = 300_000;

suite('two servers behind the aggregator', () => {
  let replicas: Replicas;
  const loads: ClientLoad[] = [];

  beforeAll(async () => {
    const backend = ours([`--bind-address=${address}`, '--shutdown-delay-duration=2s']);
    replicas = await startReplicas(NEWEST_HOST, backend, address as string);
  }, MINUTES_5);
  afterEach(() => {
    for (const load of loads.splice(0)) load.kill();
  });
  afterAll(() => replicas?.stop());

  const allReady = (): Promise<boolean> =>
    eventually('servers that are ready', async () => replicas.ready() === replicas.servers.length);

  test(
    'no request fails while they are restarted',
    async () => {
      const load = await startLoad(replicas.host.kubeconfig, STEADY);
      loads.push(load);
      for (const server of replicas.servers) {
        expect(await server.stop()).toBe(0);
        await server.start();
        await allReady();
      }
      const summary = await load.finish();
      expect(load.failures).toEqual([]);
      expect(summary.objects).toBeGreaterThan(10);
    },
    MINUTES_5,
  );

  /** The response of the aggregator, without a Retry-After, if the server dies before or during its response. */
  const UNREACHED =
    /unable to handle the request|error trying to reach service|EOF|connection|INTERNAL_ERROR; received from peer/;

  test(
    'a server that is killed loses only the requests it had not answered',
    async () => {
      const load = await startLoad(replicas.host.kubeconfig, STEADY);
      loads.push(load);
      for (const server of replicas.servers) {
        await server.kill();
        await eventually('the other server alone', async () => replicas.ready() === 1);
        await server.start();
        await allReady();
      }
      const summary = await load.finish();
      expect(load.failures.filter(({ error }) => !UNREACHED.test(error))).toEqual([]);
      expect(summary.objects).toBeGreaterThan(10);
    },
    MINUTES_5,
  );
});
