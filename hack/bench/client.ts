import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';

/** Where a server listens and what it takes as an administrator's credentials. */
export interface Endpoint {
  readonly port: number;
  readonly token: string;
}

export interface Call {
  readonly method?: string;
  /** With query. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly gzip?: boolean;
}

export interface Answer {
  readonly code: number;
  /** As it came, still compressed where gzip was asked for and given. */
  readonly body: Buffer;
}

/** HTTP/1.1 over TLS with keep-alive. */
export interface Client {
  /** Rejects when the connection fails or nothing comes for a minute; any status is an answer. */
  send(call: Call): Promise<Answer>;
  /** Resolves with the answer's head once it came; the caller consumes and destroys it. */
  open(call: Call): Promise<IncomingMessage>;
  close(): void;
}

const SILENCE_MS = 60_000;

/** At most `connections` at a time; further calls wait for one. */
export function createClient({ port, token }: Endpoint, connections: number): Client {
  // The servers make their own certificates; this client only ever speaks to 127.0.0.1.
  const agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
  const open = (call: Call): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method = 'GET', path, body, contentType = 'application/json', gzip = false } = call;
      const headers: Record<string, string | number> = {
        Authorization: `Bearer ${token}`,
        Accept: 'application/json',
        'User-Agent': 'bench',
      };
      if (gzip) headers['Accept-Encoding'] = 'gzip';
      if (body !== undefined) {
        headers['Content-Type'] = contentType;
        headers['Content-Length'] = Buffer.byteLength(body);
      }
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, resolve);
      sent.setTimeout(SILENCE_MS, () => sent.destroy(new Error(`no answer to ${method} ${path}`)));
      sent.once('error', reject);
      sent.end(body);
    });
  const send = async (call: Call): Promise<Answer> => {
    const response = await open(call);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { code: response.statusCode ?? 0, body: Buffer.concat(chunks) };
  };
  return { send, open, close: () => agent.destroy() };
}

/** Sends and throws unless the answer's status is of the 200s. */
export async function must(client: Client, call: Call): Promise<Answer> {
  const answer = await client.send(call);
  if (answer.code < 200 || answer.code > 299) {
    const said = answer.body.toString('utf8', 0, 300);
    throw new Error(`${call.method ?? 'GET'} ${call.path}: ${answer.code} ${said}`);
  }
  return answer;
}
