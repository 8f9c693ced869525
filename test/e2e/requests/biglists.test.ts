/** Large lists for clients that read slowly or disconnect. The server sends them from pooled buffers. */
import { once } from 'node:events';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { client, type Client } from '../../fixtures/clients/client.js';

/** Namespaces, and the number of objects of 20 KB in each. Their lists are sent in one chunk, or in many. */
const COUNTS = { whole: 15, pieces: 60, more: 60 } as const;
type Namespace = keyof typeof COUNTS;
const NAMESPACES = Object.keys(COUNTS) as Namespace[];

const path = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
const text = (namespace: string, index: number): string => `${namespace}-${index} `.repeat(2_000);

let server: ServerFixture;
let api: Client;
let session: ClientHttp2Session;

beforeAll(async () => {
  server = await startServer();
  api = client(server);
  session = connect(server.url, { rejectUnauthorized: false });
  for (const namespace of NAMESPACES) {
    await api.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    for (let index = 0; index < COUNTS[namespace]; index += 1)
      await api.send('POST', path(namespace), {
        metadata: { name: `c${index}` },
        data: { text: text(namespace, index) },
      });
  }
});
afterAll(async () => {
  session.destroy();
  await server.remove();
});

async function opened(namespace: string): Promise<ClientHttp2Stream> {
  const stream = session.request({ ':path': path(namespace), authorization: `Bearer ${ADMIN_TOKEN}` });
  await once(stream, 'response');
  return stream;
}

async function slowly(namespace: Namespace): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await opened(namespace)) {
    chunks.push(chunk as Buffer);
    if (chunks.length % 16 === 0) await pause(2);
  }
  return Buffer.concat(chunks).toString();
}

async function leaves(namespace: Namespace): Promise<void> {
  const stream = await opened(namespace);
  await once(stream, 'data');
  stream.destroy();
}

const fast = async (namespace: Namespace): Promise<string> => (await api.send('GET', path(namespace))).text;

test('each client gets its own list, whole', async () => {
  for (let round = 0; round < 5; round += 1) {
    const asked = NAMESPACES.flatMap((namespace) =>
      [fast, slowly, fast].map((read) => ({ namespace, read })),
    );
    const left = NAMESPACES.map(leaves);
    for (const { namespace, answer } of await Promise.all(
      asked.map(async ({ namespace, read }) => ({ namespace, answer: await read(namespace) })),
    )) {
      const { items } = JSON.parse(answer) as {
        items: { metadata: { name: string }; data: { text: string } }[];
      };
      expect(items).toHaveLength(COUNTS[namespace]);
      for (const { metadata, data } of items)
        expect(data.text === text(namespace, Number(metadata.name.slice(1)))).toBe(true);
    }
    await Promise.all(left);
  }
});
