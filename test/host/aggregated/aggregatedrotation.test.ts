/** The client certificate of kube-apiserver and its CA are replaced while requests are served. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startOwnAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { makeCertificates, type Certificates } from '../../fixtures/stores/etcdcertificates.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { startTraffic } from '../../fixtures/clients/traffic.js';
import { eventually } from '../../fixtures/wait.js';

const SECRETS = '/apis/management.svc.example/v1/namespaces/team/sharedsecrets';
const CONFIG = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const AUTHORITY = 'requestheader-client-ca-file';

/** Copies the files of the client certificate, as they will be overwritten. */
function copyOf(certificates: Certificates, folder: string): Certificates {
  const [clientCertFile, clientKeyFile] = ['former-client.crt', 'former-client.key'].map((name) =>
    join(folder, name),
  ) as [string, string];
  copyFileSync(certificates.clientCertFile, clientCertFile);
  copyFileSync(certificates.clientKeyFile, clientKeyFile);
  return { ...certificates, clientCertFile, clientKeyFile };
}

describeWith(NEWEST_HOST.apiserver)('behind Kubernetes', () => {
  let aggregated: AggregatedHost;

  beforeAll(async () => {
    // It logs when it has loaded new files.
    aggregated = await startOwnAggregated(NEWEST_HOST, ours(), () => ['--v=2']);
    await made(aggregated.host.api, '/api/v1/namespaces', { metadata: { name: 'team' } });
    for (let index = 0; index < 10; index++)
      await made(aggregated.host.api, SECRETS, { metadata: { name: `s-${index}` }, spec: {} });
  });
  afterAll(() => aggregated?.stop());

  /** The response at the server's own port to a request with this client certificate and a user name in headers. */
  function asFrontProxy({ clientCertFile, clientKeyFile }: Certificates): Promise<number> {
    const credentials = { cert: readFileSync(clientCertFile), key: readFileSync(clientKeyFile) };
    const headers = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
    return new Promise((resolve, reject) => {
      const agent = new Agent({ maxCachedSessions: 0 });
      const options = { ...credentials, headers, agent, rejectUnauthorized: false };
      request(`${aggregated.url}${SECRETS}/s-0`, options, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      })
        .once('error', reject)
        .end();
    });
  }
  async function authorities(): Promise<string> {
    const { text } = await aggregated.host.api.send('GET', CONFIG);
    return (JSON.parse(text) as { data: Record<string, string> }).data[AUTHORITY] ?? '';
  }

  test('the authority of the front proxy is rotated under load, and no request fails', async () => {
    const { host, directory } = aggregated;
    const { frontProxy } = host;
    const folder = join(directory, 'next-front-proxy');
    mkdirSync(folder);
    const next = makeCertificates(folder);
    const [oldAuthority, newAuthority] = [frontProxy, next].map(({ caFile }) =>
      readFileSync(caFile, 'utf8'),
    ) as [string, string];
    const old = copyOf(frontProxy, folder);
    expect(await asFrontProxy(old)).toBe(200);
    expect(await asFrontProxy(next)).toBe(401);
    const traffic = startTraffic(host.url, SECRETS);

    writeFileSync(frontProxy.caFile, `${oldAuthority}${newAuthority}`);
    await eventually('that the host tells of both', async () => (await authorities()).includes(newAuthority));
    await eventually('trust in the new one', async () => (await asFrontProxy(next)) === 200);
    expect(await asFrontProxy(old)).toBe(200);

    const log = (): string => readFileSync(join(host.directory, `${NEWEST_HOST.apiserver}.log`), 'utf8');
    const loaded = (): number =>
      log().match(/Loaded a new cert\/key pair" name="aggregator-proxy-cert/g)?.length ?? 0;
    const before = loaded();
    writeFileSync(frontProxy.clientKeyFile, readFileSync(next.clientKeyFile));
    writeFileSync(frontProxy.clientCertFile, readFileSync(next.clientCertFile));
    await eventually('that the host shows the new one', async () => Promise.resolve(loaded() > before));
    await traffic.more(50);

    writeFileSync(frontProxy.caFile, newAuthority);
    await eventually('the end of the old one at the host', async () => {
      // The host keeps the old CA in the ConfigMap; an administrator removes it.
      const type = { 'content-type': 'application/merge-patch+json' };
      await host.api.send('PATCH', CONFIG, { data: { [AUTHORITY]: newAuthority } }, type);
      return (await asFrontProxy(old)) !== 200;
    });
    expect((await authorities()).trim()).toBe(newAuthority.trim());
    expect(await asFrontProxy(next)).toBe(200);
    await traffic.more(200);
    const { failures } = await traffic.stop();
    expect(failures).toEqual([]);
  });
});
