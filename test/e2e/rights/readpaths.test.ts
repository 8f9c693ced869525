/** Authorization, paths and connections of read requests. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADMIN_TOKEN, VIEWER_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { client, eventsOf, type Client } from '../../fixtures/clients/client.js';

interface Named {
  readonly metadata: { readonly name: string };
}

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

let server: ServerFixture;
let api: Client;

beforeAll(async () => {
  server = await startServer();
  api = client(server);
  for (const name of ['a', 'b']) await api.send('POST', CONFIGMAPS, { metadata: { name } });
});
afterAll(() => server.remove());

describe('the deprecated watch paths', () => {
  test.each([
    ['/api/v1/watch/namespaces/default/configmaps', ['a', 'b']],
    ['/api/v1/watch/configmaps', ['a', 'b']],
    ['/api/v1/watch/namespaces/default/configmaps/b', ['b']],
    ['/api/v1/watch/namespaces/default/configmaps/b?fieldSelector=metadata.name%3Db', ['b']],
    ['/api/v1/watch/namespaces/default', ['default']],
  ])('%s', async (path, names) => {
    const mark = path.includes('?') ? '&' : '?';
    // A single name in a list is the only event before the end.
    const count = names.length === 1 ? 9 : names.length;
    const events = await eventsOf<Named>(api, `${path}${mark}timeoutSeconds=1`, count);
    expect(events.map(({ object }) => object.metadata.name)).toEqual(names);
  });

  test.each([
    ['GET', '/api/v1/watch/namespaces/default/configmaps/b?fieldSelector=metadata.name%3Da', 400],
    ['GET', '/api/v1/watch/namespaces/default/configmaps/b?fieldSelector=metadata.namespace%3Dx', 400],
    ['GET', '/api/v1/watch/nothings', 404],
    ['POST', '/api/v1/watch/configmaps', 405],
  ])('%s %s is %i', async (method, path, code) => {
    const { status, text } = await api.send(method, path);
    expect(status).toBe(code);
    if (code === 400) expect(text).toContain("fieldSelector metadata.name doesn't match requested name");
  });
});

test.each([
  ['/api/v1/namespaces//configmaps', 400, 'Namespace parameter required.'],
  ['/api/v1/namespaces/default/configmaps//status', 400, 'Name parameter required.'],
  [`${CONFIGMAPS}/a%2Fb`, 400, `Name parameter invalid: \\"a/b\\": may not contain '/'`],
  [`${CONFIGMAPS}/a%25b`, 400, `Name parameter invalid: \\"a%b\\": may not contain '%'`],
  [`${CONFIGMAPS}///`, 200, 'ConfigMapList'],
  ['/apis/no.such.group/v1/things', 404, '404 page not found\n'],
])('%s is %i', async (path, code, said) => {
  const { status, text } = await api.send('GET', path);
  expect(status).toBe(code);
  expect(text).toContain(said);
});

test.each([
  [
    '/apis/no.such.group/v1/things',
    'things.no.such.group is forbidden: User \\"viewer\\" cannot list resource \\"things\\" in API group \\"no.such.group\\" at the cluster scope',
  ],
  [
    `${CONFIGMAPS}?fieldSelector=metadata.name%3Da`,
    'configmaps \\"a\\" is forbidden: User \\"viewer\\" cannot list resource \\"configmaps\\" in API group \\"\\" in the namespace \\"default\\"',
  ],
])('%s is authorized by what it names', async (path, said) => {
  const { status, text } = await client(server, VIEWER_TOKEN).send('GET', path);
  expect(status).toBe(403);
  expect(text).toContain(said);
});

test('/api tells the address that the client has reached', async () => {
  const { text } = await api.send('GET', '/api');
  expect(JSON.parse(text)).toMatchObject({
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: `127.0.0.1:${server.port}` }],
  });
});

test('/ lists the paths', async () => {
  const { paths } = JSON.parse((await api.send('GET', '/')).text) as { paths: string[] };
  for (const path of ['/api/v1', '/apis/management.svc.example/v1', '/readyz', '/version', '/metrics'])
    expect(paths).toContain(path);
});

describe('over HTTP/2', () => {
  const goaway = async (authorization: Record<string, string>, path: string): Promise<unknown[]> => {
    const session = connect(server.url, { rejectUnauthorized: false });
    let left = 0;
    session.on('goaway', () => {
      left += 1;
    });
    const stream = session.request({ ':path': path, ...authorization });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    stream.resume();
    await once(stream, 'end');
    // When the response to a ping arrives, everything that the server sent before it has arrived.
    if (!session.destroyed && left === 0)
      await new Promise<void>((resolve) => session.ping(() => resolve()) || resolve());
    session.destroy();
    return [headers[':status'], left];
  };

  test.each([
    ['without credentials', {}, '/version', [200, 1]],
    ['with bad ones', { authorization: 'Bearer no' }, CONFIGMAPS, [401, 1]],
    ['with good ones', { authorization: `Bearer ${ADMIN_TOKEN}` }, CONFIGMAPS, [200, 0]],
  ])('a client %s', async (_who, headers, path, expected) => {
    expect(await goaway(headers, path)).toEqual(expected);
  });
});

describe('client certificates', () => {
  let directory: string;
  let asking: ServerFixture;
  const file = (name: string): string => join(directory, name);
  const issue = (name: string): void => {
    const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)];
    const how = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
    const subject = '/O=system:masters/CN=admin';
    execFileSync('openssl', ['req', '-x509', ...how, ...files, '-subj', subject], { stdio: 'ignore' });
  };
  const status = (name: string, headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const tls = { key: readFileSync(file(`${name}.key`)), cert: readFileSync(file(`${name}.crt`)) };
      const options = { ...tls, rejectUnauthorized: false, headers, agent: false };
      const sent = request(`${asking.url}${CONFIGMAPS}`, options, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.once('error', reject).end();
    });

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'client-certificates-'));
    issue('known');
    issue('unknown');
    asking = await startServer({ flags: [`--client-ca-file=${file('known.crt')}`] });
  });
  afterAll(async () => {
    await asking.remove();
    rmSync(directory, { recursive: true });
  });

  test.each([
    ['known', {}, 200],
    ['unknown', {}, 401],
    ['unknown', { authorization: `Bearer ${ADMIN_TOKEN}` }, 200],
  ])('one of an authority that is %s, with %j', async (name, headers, code) => {
    expect(await status(name, headers)).toBe(code);
  });
});
