/** The host clusters of the other suites work as those suites require, for each release. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client } from '../../fixtures/clients/client.js';
import { HOST_RELEASES, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { describeWith } from '../../fixtures/program.js';
import { VIEWER_TOKEN } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'echo.example.com';

/** A server of an APIService: returns the client, and the user in the headers. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const socket = request.socket as TLSSocket;
  const body = {
    kind: 'APIResourceList',
    groupVersion: `${GROUP}/v1`,
    resources: [],
    by: socket.authorized ? socket.getPeerCertificate().subject.CN : undefined,
    user: request.headers['x-remote-user'],
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Listens on 127.0.0.1, and accepts only client certificates of the front proxy's CA. */
async function serveEcho({ certificates, frontProxy }: HostCluster): Promise<Server> {
  const server = createServer(
    {
      cert: readFileSync(certificates.serverCertFile),
      key: readFileSync(certificates.serverKeyFile),
      ca: readFileSync(frontProxy.caFile),
      requestCert: true,
      rejectUnauthorized: false,
    },
    echo,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describeWith('etcd');
for (const release of HOST_RELEASES) {
  describeWith(release.apiserver)(`Kubernetes ${release.release}`, () => {
    let host: HostCluster;
    let backend: Server;
    beforeAll(async () => {
      host = await plainHost(release);
      backend = await serveEcho(host);
    });
    afterAll(async () => {
      backend?.closeAllConnections();
      backend?.close();
      await host?.stop();
    });

    const post = async (path: string, body: object): Promise<{ metadata: { uid: string } }> => {
      const { status, text } = await host.api.send('POST', path, body);
      if (status !== 201) throw new Error(`${path}: ${text}`);
      return JSON.parse(text) as { metadata: { uid: string } };
    };
    const statusOf = async (path: string): Promise<number> => (await host.api.send('GET', path)).status;

    test('is of the release that it is named by', async () => {
      const { gitVersion } = JSON.parse((await host.api.send('GET', '/version')).text) as {
        gitVersion: string;
      };
      expect(gitVersion).toMatch(new RegExp(`^v${release.release.replace('.', '\\.')}\\.\\d+$`));
    });

    test('its controllers collect garbage and end namespaces', async () => {
      const space = '/api/v1/namespaces/family';
      await post('/api/v1/namespaces', { metadata: { name: 'family' } });
      const { metadata } = await post(`${space}/configmaps`, { metadata: { name: 'owner' } });
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid };
      await post(`${space}/configmaps`, { metadata: { name: 'dependent', ownerReferences: [owner] } });
      expect((await host.api.send('DELETE', `${space}/configmaps/owner`)).status).toBe(200);
      await eventually(
        'the end of the dependent',
        async () => (await statusOf(`${space}/configmaps/dependent`)) === 404,
      );
      expect((await host.api.send('DELETE', space)).status).toBe(200);
      await eventually('the end of the namespace', async () => (await statusOf(space)) === 404);
    });

    test('it publishes the trusted authorities for servers of APIServices', async () => {
      const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
      const { data } = JSON.parse((await host.api.send('GET', path)).text) as {
        data: Record<string, string>;
      };
      expect(data['requestheader-client-ca-file']).toBe(readFileSync(host.frontProxy.caFile, 'utf8'));
      expect(data['requestheader-allowed-names']).toBe('["client"]');
    });

    test('an APIService may be a process of this machine', async () => {
      await post('/api/v1/namespaces/default/services', {
        metadata: { name: 'echo' },
        spec: { type: 'ExternalName', externalName: 'localhost' },
      });
      const { port } = backend.address() as AddressInfo;
      const name = `v1.${GROUP}`;
      await post('/apis/apiregistration.k8s.io/v1/apiservices', {
        metadata: { name },
        spec: {
          group: GROUP,
          version: 'v1',
          groupPriorityMinimum: 1000,
          versionPriority: 15,
          service: { namespace: 'default', name: 'echo', port },
          insecureSkipTLSVerify: true,
        },
      });
      const whoAsks = client(host, VIEWER_TOKEN);
      const answer = await eventually('an answer through the aggregator', async () => {
        const { status, text } = await whoAsks.send('GET', `/apis/${GROUP}/v1`);
        return status === 200 && (JSON.parse(text) as object);
      });
      expect(answer).toMatchObject({ by: 'client', user: 'viewer' });
      await eventually('that it is available', async () => {
        const { text } = await host.api.send('GET', `/apis/apiregistration.k8s.io/v1/apiservices/${name}`);
        return text.includes('"reason":"Passed"');
      });
    });
  });
}
