import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import type { Answer, Call, Endpoint } from './client.js';

/** As kubectl, client-go and the aggregator speak: HTTP/2 over TLS, calls in turns over a few connections. */
export interface Http2Client {
  /** Rejects when the stream fails; any status is an answer. */
  send(call: Call): Promise<Answer>;
  /** Tells `heard` of each piece of the answer's body until either side ends it; resolves with its head. */
  follow(call: Call, heard: (piece: Buffer) => void): Promise<Followed>;
  close(): void;
}

interface Followed {
  readonly code: number;
  readonly ended: Promise<void>;
}

/** `window`: bytes of an answer, and of all over one connection, that may come before they are taken; absent: as many as Node lets. */
export function createHttp2Client(
  { port, token }: Endpoint,
  connections: number,
  window?: number,
): Http2Client {
  const sessions = Array.from({ length: connections }, () => openSession(port, window));
  let next = 0;
  const request = ({ method = 'GET', path, body, contentType = 'application/json' }: Call) => {
    const session = sessions[next++ % sessions.length] as ClientHttp2Session;
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: method,
      [constants.HTTP2_HEADER_PATH]: path,
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'user-agent': 'bench',
      ...(body !== undefined && { 'content-type': contentType }),
    });
    stream.end(body);
    return stream;
  };
  return {
    async send(call) {
      const stream = request(call);
      const code = statusOf(stream);
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      return { code: await code, body: Buffer.concat(chunks) };
    },
    follow(call, heard) {
      const stream = request(call);
      stream.on('data', heard);
      stream.on('error', () => undefined); // its destruction at the end
      const ended = new Promise<void>((resolve) => stream.once('close', resolve));
      return statusOf(stream).then((code) => ({ code, ended }));
    },
    close: () => sessions.forEach((session) => session.destroy()),
  };
}

/** Gives the bytes of the answer. Throws unless it is 200. */
export async function getOverHttp2(client: Http2Client, path: string): Promise<number> {
  const { code, body } = await client.send({ path });
  if (code !== 200) throw new Error(`GET ${path} over HTTP/2: ${code}`);
  return body.length;
}

/** The servers make their own certificates; this client only ever speaks to 127.0.0.1. */
function openSession(port: number, window?: number): ClientHttp2Session {
  const settings = window === undefined ? {} : { initialWindowSize: window };
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, settings });
  if (window !== undefined) session.once('connect', () => session.setLocalWindowSize(window));
  // Its streams fail, too.
  return session.on('error', () => undefined);
}

const statusOf = (stream: ClientHttp2Stream): Promise<number> =>
  new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.once('response', (headers) => resolve(Number(headers[constants.HTTP2_HEADER_STATUS])));
  });
