/**
 * Reads etcd's newest revision on an HTTP/2 stream of our own: every request to the server waits for such a
 * read, and the package's call takes twice the CPU. Any response that is not clearly successful is ignored;
 * the package then asks again and reports the error.
 */
import { lazyModule } from '../../apimachinery/lazymodule.js';
import { connect, constants } from 'node:http2';
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';
import type { IOptions } from 'etcd3';
import type protobuf from 'protobufjs/minimal.js';
import type { AnswerHeader } from './storeidentity.js';

const { Reader, Writer } = lazyModule<typeof protobuf>('protobufjs/minimal.js')();

export interface RevisionProbe {
  /**
   * Linearizable. Undefined after `deadlineMs` or a failure. Never rejects.
   * @param onHeader called with the header of the response first
   */
  ask(deadlineMs: number, onHeader?: (header: AnswerHeader) => void): Promise<number | undefined>;
  close(): void;
}

/** @param key whose existence is requested */
export function revisionProbe(url: string, credentials: IOptions['credentials'], key: Buffer): RevisionProbe {
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
    async ask(deadlineMs, heard) {
      const asked = open();
      // A session that is about to close accepts no request.
      const answer = await answerOf(asked, request, deadlineMs).catch(() => undefined);
      // The peer may have disappeared.
      if (answer === undefined) asked.destroy();
      else heard?.(answer);
      return answer && Number(answer.revision);
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
/** The compression flag, which is 0, and four bytes of length. */
const PREFIX_BYTES = 5;

function answerOf(
  session: ClientHttp2Session,
  request: Buffer,
  deadlineMs: number,
): Promise<AnswerHeader | undefined> {
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
      resolve(ok ? headerIn(Buffer.concat(pieces)) : undefined);
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

/** The `header` of a RangeResponse; undefined: it has no revision. */
function headerIn(answer: Buffer): AnswerHeader | undefined {
  const HEADER = (1 << 3) | 2;
  if (answer.length < PREFIX_BYTES || answer[0] !== 0) return undefined;
  const reader = Reader.create(answer.subarray(PREFIX_BYTES));
  try {
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === HEADER) return membersOf(reader.bytes());
      reader.skipType(tag & 7);
    }
  } catch {
    return undefined;
  }
  return undefined;
}

/** Throws for an invalid message. */
function membersOf(header: Uint8Array): AnswerHeader | undefined {
  const CLUSTER_ID = 1 << 3;
  const REVISION = 3 << 3;
  const reader = Reader.create(header);
  let cluster_id = '0';
  let revision = NaN;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === CLUSTER_ID) cluster_id = decimal(reader.uint64());
    else if (tag === REVISION) revision = Number(reader.int64());
    else reader.skipType(tag & 7);
  }
  return Number.isSafeInteger(revision) ? { cluster_id, revision } : undefined;
}

type Whole = ReturnType<protobuf.Reader['uint64']>;

let shown: { readonly of: Whole; readonly text: string } | undefined;

/** Caches the text, as the value is nearly always the same and slow to divide. */
function decimal(value: Whole): string {
  const known = shown?.of;
  const same =
    typeof value === 'object' &&
    typeof known === 'object' &&
    value.low === known.low &&
    value.high === known.high;
  if (!same || shown === undefined) shown = { of: value, text: String(value) };
  return shown.text;
}
