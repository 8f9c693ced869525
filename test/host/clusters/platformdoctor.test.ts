/**
 * `platform doctor` for a group behind the aggregator of a real kube-apiserver: the detected problems, and the advice.
 */
import type { RequestListener } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { availability, made, register, untilAvailable } from '../../fixtures/host/apiservice.js';
import { HOST_RELEASES, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { platformCli, type PlatformCli } from '../../fixtures/clients/platformcli.js';
import { describeWith } from '../../fixtures/program.js';
import { ADMIN_TOKEN, VIEWER_TOKEN } from '../../fixtures/servers/server.js';
import { startStub, type StubServer } from '../../fixtures/stubs/stubserver.js';
import { eventually } from '../../fixtures/wait.js';

const SERVED = { group: 'management.svc.example', version: 'v1', plural: 'projects' };
const SERVICE = { namespace: 'management-system', service: 'management-apiserver' };
const API_SERVICE = `/apis/apiregistration.k8s.io/v1/apiservices/${SERVED.version}.${SERVED.group}`;
const SERVICES = `/api/v1/namespaces/${SERVICE.namespace}/services`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

const release = HOST_RELEASES.at(-1);
if (release === undefined) throw new Error('no release');

interface Diagnosis {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly advice?: string;
}

/** Responds like a server of the group; without a store it serves no resources. */
const answer =
  (hasStore: () => boolean): RequestListener =>
  ({ url = '' }, response) => {
    const send = (code: number, body: object): void =>
      void response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const path = url.replace(/\?.*/, '');
    if (path === `/apis/${SERVED.group}/v1`)
      return send(200, { kind: 'APIResourceList', groupVersion: `${SERVED.group}/v1`, resources: [] });
    if (path.endsWith('/selves')) return send(201, { kind: 'Self', status: { user: { name: 'anna' } } });
    if (!path.endsWith('/projects')) return send(404, { kind: 'Status' });
    return hasStore()
      ? send(200, { items: [] })
      : send(503, { kind: 'Status', message: 'the store is away' });
  };

describeWith(release.apiserver)('doctor', () => {
  let host: HostCluster;
  let stub: StubServer;
  let cli: PlatformCli;
  let hasStore = true;

  beforeAll(async () => {
    cli = platformCli();
    stub = await startStub(
      answer(() => hasStore),
      { names: [`${SERVICE.service}.${SERVICE.namespace}.svc`] },
    );
    host = await plainHost(release);
    await made(host.api, '/api/v1/namespaces', { metadata: { name: SERVICE.namespace } });
    const caFile = join(cli.home, 'stub.crt');
    writeFileSync(caFile, stub.authority);
    await register(host.api, { ...SERVED, ...SERVICE, port: Number(new URL(stub.url).port), caFile });
    await untilAvailable(host.api, SERVED);
  });
  afterAll(async () => {
    cli.remove();
    await host?.stop();
    await stub?.stop();
  });

  async function doctor(
    kubeconfig = host.kubeconfig,
  ): Promise<{ code: number | null; states: string[]; of: (check: string) => Diagnosis | undefined }> {
    const { code, stdout } = await cli.run(['--kubeconfig', kubeconfig, 'doctor', '-o', 'json']);
    const found = JSON.parse(stdout) as Diagnosis[];
    const states = found.map(({ check, state }) => `${check} ${state}`);
    return { code, states, of: (wanted) => found.find(({ check }) => check === wanted) };
  }
  /** The finding about an unavailable APIService. */
  async function unavailable(): Promise<Diagnosis | undefined> {
    await eventually(
      'the APIService is unavailable',
      async () => (await availability(host.api, SERVED))?.status === 'False',
    );
    const { code, states, of } = await doctor();
    expect(code).toBe(1);
    expect(states).toEqual([
      ...WAY,
      'apiservice wrong',
      'store skipped',
      'credentials skipped',
      'permissions ok',
    ]);
    return of('apiservice');
  }
  const patch = (path: string, body: object) => host.api.send('PATCH', path, body, MERGE);
  const WAY = ['login ok', 'certificate wrong', 'server ok', 'clock ok'];

  test('finds nothing wrong with a healthy installation', async () => {
    const { states } = await doctor();
    expect(states).toEqual([...WAY, 'apiservice ok', 'store ok', 'credentials ok', 'permissions ok']);
  });

  test('reports what it can to a user who may not read APIServices', async () => {
    const kubeconfig = join(cli.home, 'viewer');
    writeFileSync(kubeconfig, readFileSync(host.kubeconfig, 'utf8').replace(ADMIN_TOKEN, VIEWER_TOKEN));
    const { states } = await doctor(kubeconfig);
    expect(states).toContain('apiservice skipped');
    expect(states).toContain('permissions ok');
  });

  test('reports an unavailable store, which /readyz of the host does not', async () => {
    hasStore = false;
    const { code, states, of } = await doctor();
    expect([code, states[4], states[5]]).toEqual([1, 'apiservice ok', 'store wrong']);
    expect(of('store')).toMatchObject({ found: 'not ready: the store is away' });
    hasStore = true;
  });

  test('reports a caBundle that does not match the server', async () => {
    const { caFile } = host.certificates;
    const other = readFileSync(caFile).toString('base64');
    await patch(API_SERVICE, { spec: { caBundle: other } });
    expect((await unavailable())?.advice).toContain('caBundle');
    const own = Buffer.from(stub.authority).toString('base64');
    await patch(API_SERVICE, { spec: { caBundle: own } });
    await eventually('it is available', async () => (await doctor()).states[4] === 'apiservice ok');
  });

  test('reports a Service without Pods, and a missing one', async () => {
    await patch(`${SERVICES}/${SERVICE.service}`, {
      spec: {
        type: 'ClusterIP',
        externalName: null,
        selector: { app: 'none' },
        ports: [{ port: Number(new URL(stub.url).port) }],
      },
    });
    expect((await unavailable())?.advice).toContain('none is ready');
    await host.api.send('DELETE', `${SERVICES}/${SERVICE.service}`);
    await eventually(
      'the Service is missed',
      async () => (await availability(host.api, SERVED))?.reason === 'ServiceNotFound',
    );
    expect((await unavailable())?.advice).toContain('make the Service');
  });

  test('reports a missing APIService', async () => {
    await host.api.send('DELETE', API_SERVICE);
    const { code, of } = await doctor();
    expect([code, of('apiservice')]).toEqual([
      1,
      {
        check: 'apiservice',
        state: 'wrong',
        found: `there is no APIService v1.${SERVED.group}`,
        advice: 'install the chart of the management server',
      },
    ]);
  });
});
