/** Requests to the server of a kubeconfig. */
import { request } from 'node:https';
import type { Connection } from './kubeconfig.js';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * The JSON at a path below the server's URL. Rejects with an Error for the user: the message of the server's Status
 * where it refuses, else why it cannot be reached.
 */
export async function getJson(connection: Connection, path: string): Promise<unknown> {
  const { code, text } = await get(connection, path);
  const body = parsed(text);
  if (code === 200) {
    if (body === undefined) throw new Error(`${connection.server} does not answer ${path} with JSON`);
    return body;
  }
  const { message } = (body ?? {}) as { message?: unknown };
  throw new Error(
    `the server answers ${code}: ${typeof message === 'string' ? message : text.slice(0, 200)}`,
  );
}

function get({ server, token, ...tls }: Connection, path: string): Promise<{ code: number; text: string }> {
  const url = new URL(server.pathname.replace(/\/$/, '') + path, server);
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(new Error(`${server.origin} cannot be reached: ${error.message}`, { cause: error }));
    };
    const headers = {
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const sent = request(url, { ...tls, headers, agent: false, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) sent.destroy(new Error('its answer is too large'));
        chunks.push(chunk);
      });
      response.once('error', fail);
      response.once('end', () => {
        resolve({ code: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.once('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    sent.once('error', fail);
    sent.end();
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
