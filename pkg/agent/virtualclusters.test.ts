import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { issueAuthority, issueServing } from '../pki/issue.js';
import { serviceOf, virtualClusters } from './virtualclusters.js';

const PLACE = { namespace: 'own', virtualCluster: 'v' };

function secretOf(server: string, authority: string, more: object = {}): object {
  const config = {
    clusters: [
      {
        name: 'c',
        cluster: { server, 'certificate-authority-data': Buffer.from(authority).toString('base64'), ...more },
      },
    ],
    users: [{ name: 'u', user: { token: 'inside' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  return { data: { config: Buffer.from(JSON.stringify(config)).toString('base64') } };
}

test('a virtual cluster is reached at its Service, whatever its kubeconfig names', async () => {
  const authority = await issueAuthority('test');
  const pair = await issueServing(authority, ['127.0.0.1']);
  const seen: IncomingMessage[] = [];
  const server = createServer({ key: pair.key, cert: pair.certificate }, (request, response) => {
    seen.push(request);
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const failures: string[] = [];
  const asked: string[] = [];
  let secret = secretOf('https://169.254.169.254', authority.certificate);
  const clusters = virtualClusters({
    client: {
      send({ path }) {
        asked.push(path);
        return Promise.resolve({ status: 200, body: secret, retryAfterMs: undefined });
      },
    },
    server: () => `https://127.0.0.1:${port}`,
    failed: (why) => failures.push(why),
  });
  const upstream = clusters.upstream(PLACE);
  const request = await upstream.open({
    method: 'GET',
    path: '/version',
    headers: ['Accept', '*/*'],
    lasting: false,
  });
  request.end();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  await once(answer.resume(), 'end');
  expect(asked).toEqual(['/api/v1/namespaces/own/secrets/vc-v']);
  expect(seen[0]?.headers).toMatchObject({ host: `127.0.0.1:${port}`, authorization: 'Bearer inside' });
  expect(clusters.upstream({ ...PLACE })).toBe(upstream);

  secret = secretOf('https://x', authority.certificate, { 'insecure-skip-tls-verify': true });
  const other = clusters.upstream({ ...PLACE, virtualCluster: 'w' });
  await expect(other.open({ method: 'GET', path: '/', headers: [], lasting: false })).rejects.toThrow('vc-w');
  expect(failures.join()).not.toContain('inside');
  clusters.close();
  server.close();
});

test('the Service has the name of the virtual cluster', () => {
  expect(serviceOf(PLACE)).toBe('https://v.own.svc');
});
