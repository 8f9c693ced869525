/** The newest revision in the response of etcd on a plain HTTP/2 stream, and invalid responses. */
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { etcdIsThere, etcdctl, startEtcd } from '../../../test/fixtures/stores/etcd.js';
import { revisionProbe } from './revisionprobe.js';
import { rpcConnection } from './rpc/connection.js';

const KEY = Buffer.from('/p/');
/** A probe and its connection. */
function probeAt(url: string) {
  const connection = rpcConnection(url, undefined, 1_000);
  return { ...revisionProbe(connection, KEY), close: () => connection.close() };
}

const suite = etcdIsThere() ? describe : describe.skip;

suite('the revision of etcd', () => {
  test('is the newest one, also after an outage', async () => {
    const etcd = await startEtcd();
    const head = probeAt(etcd.endpoint);
    try {
      const before = (await head.ask(5_000)) as number;
      etcdctl(etcd, ['put', 'a', '1']);
      expect(await head.ask(5_000)).toBe(before + 1);
      etcd.pause();
      expect(await head.ask(200)).toBeUndefined();
      etcd.continue();
      await etcd.restart();
      etcdctl(etcd, ['put', 'a', '2']);
      expect(await head.ask(5_000)).toBe(before + 2);
    } finally {
      head.close();
      await etcd.stop();
    }
    expect(await head.ask(1_000)).toBeUndefined();
  });
});

const GOOD = Buffer.from([0, 0, 0, 0, 4, 0x0a, 2, 0x18, 7]);
const HEAD = { ':status': 200, 'content-type': 'application/grpc' };

/** Responds with these bytes and this status. */
const answering =
  (bytes: Buffer, status = '0') =>
  (stream: ServerHttp2Stream): void => {
    stream.respond(HEAD, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }));
    stream.end(bytes);
  };

const ANSWERS: [string, (stream: ServerHttp2Stream) => void, number | undefined][] = [
  ['a revision', answering(GOOD), 7],
  ['a revision, with a status that is an error', answering(GOOD, '14'), undefined],
  [
    'an error alone',
    (stream) => stream.respond({ ...HEAD, 'grpc-status': '14' }, { endStream: true }),
    undefined,
  ],
  ['nothing', answering(Buffer.alloc(0)), undefined],
  ['half a message', answering(GOOD.subarray(0, 8)), undefined],
  ['a message without a header', answering(Buffer.from([0, 0, 0, 0, 2, 0x20, 1])), undefined],
  ['a header without a revision', answering(Buffer.from([0, 0, 0, 0, 4, 0x0a, 2, 0x08, 7])), undefined],
  ['no message', answering(Buffer.from([0, 0, 0, 0, 3, 0xff, 0xff, 0xff])), undefined],
  ['something compressed', answering(Buffer.from([1, ...GOOD.subarray(1)])), undefined],
  ['a stream that breaks off', (stream) => stream.on('error', () => undefined).close(2), undefined],
  ['a connection that breaks off', (stream) => stream.session?.destroy(), undefined],
];

describe('the revision probe', () => {
  test.each(ANSWERS)('handles %s', async (_name, answer, expected) => {
    const server = createServer();
    server.on('stream', answer);
    const head = probeAt(await listening(server));
    try {
      expect(await head.ask(2_000)).toBe(expected);
      expect(await head.ask(2_000)).toBe(expected);
    } finally {
      head.close();
      server.close();
    }
  });

  test('returns nothing if nobody listens', async () => {
    const server = createServer();
    const url = await listening(server);
    await new Promise((closed) => server.close(closed));
    const head = probeAt(url);
    expect(await head.ask(2_000)).toBeUndefined();
    head.close();
  });
});

function listening(server: Http2Server): Promise<string> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    ),
  );
}
