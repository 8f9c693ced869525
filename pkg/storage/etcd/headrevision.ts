/**
 * etcd's newest revision, asked on an HTTP/2 stream of our own: every request to the server waits for one such answer, and
 * the package's call takes twice the CPU. An answer that is not plainly good is none; the package asks again then, and
 * says what is wrong.
 */
import { createRequire } from 'node:module';
import { connect, constants } from 'node:http2';
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';
import type { IOptions } from 'etcd3';
import type protobuf from 'protobufjs/minimal.js';

const { Reader, Writer } = createRequire(import.meta.url)('protobufjs/minimal.js') as typeof protobuf;

export interface HeadRevision {
  /** Linearizable. Undefined where it was not told within `deadlineMs`. Never rejects. */
  ask(deadlineMs: number): Promise<number | undefined>;
  close(): void;
}

/** @param key of which only is asked whether it is there */
export function headRevision(url: string, credentials: IOptions['credentials'], key: Buffer): HeadRevision {
  const { rootCertificate: ca, certChain: cert, privateKey } = credentials ?? {};
  const request = rangeRequest(key);
  let session: ClientHttp2Session | undefined;

  function open(): ClientHttp2Session {
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    const opened = connect(url, {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(privateKey && { key: privateKey }),
    });
    opened.on('error', () => undefined);
    session = opened;
    return opened;
  }

  return {
    async ask(deadlineMs) {
      const asked = open();
      // A session that has just been told to end takes no request.
      const answer = await answerOf(asked, request, deadlineMs).catch(() => undefined);
      // Its peer may be gone without a word.
      if (answer === undefined) asked.destroy();
      return answer;
    },
    close: () => session?.destroy(),
  };
}

/** `/etcdserverpb.KV/Range` of etcd's `rpc.proto`, as gRPC over HTTP/2 has it. */
const HEADERS: OutgoingHttpHeaders = {
  ':method': 'POST',
  ':path': '/etcdserverpb.KV/Range',
  'content-type': 'application/grpc',
  te: 'trailers',
};
/** Not compressed, and four bytes for the length. */
const PREFIX_BYTES = 5;

function answerOf(
  session: ClientHttp2Session,
  request: Buffer,
  deadlineMs: number,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let ok = false;
    const stream = session.request(HEADERS);
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), deadlineMs);
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('trailers', (trailers) => (ok = trailers['grpc-status'] === '0'));
    stream.on('error', () => undefined);
    stream.once('close', () => {
      clearTimeout(timer);
      resolve(ok ? revisionIn(Buffer.concat(pieces)) : undefined);
    });
    stream.end(request);
  });
}

function rangeRequest(key: Buffer): Buffer {
  const KEY = 1;
  const COUNT_ONLY = 9;
  const message = Writer.create()
    .uint32((KEY << 3) | 2)
    .bytes(key)
    .uint32(COUNT_ONLY << 3)
    .bool(true)
    .finish();
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** `header.revision` of a RangeResponse; undefined where there is none. */
function revisionIn(answer: Buffer): number | undefined {
  const HEADER = (1 << 3) | 2;
  const REVISION = 3 << 3;
  if (answer.length < PREFIX_BYTES || answer[0] !== 0) return undefined;
  const header = member(answer.subarray(PREFIX_BYTES), HEADER, (reader) => reader.bytes());
  const revision = header && member(header, REVISION, (reader) => Number(reader.int64()));
  return Number.isSafeInteger(revision) ? revision : undefined;
}

/** The first member with this tag. Undefined where there is none, or the message is broken. */
function member<T>(message: Uint8Array, tag: number, read: (reader: protobuf.Reader) => T): T | undefined {
  const reader = Reader.create(message);
  try {
    while (reader.pos < reader.len) {
      const found = reader.uint32();
      if (found === tag) return read(reader);
      reader.skipType(found & 7);
    }
  } catch {
    return undefined;
  }
  return undefined;
}
