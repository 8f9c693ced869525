/** Requests of this server to a cluster through its agent, which needs no kubeconfig: as the user that the agent is. */
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { failure } from '../../../apimachinery/errors.js';
import type { Send, Way } from './connection.js';
import type { UserRequest } from './interface.js';

/** The agents of a cluster, for this server itself. */
export interface AgentWay {
  /** A token of the user of the agent, for this cluster alone. Rejects with StatusError. */
  token(): Promise<string>;
  /** Begins a request to the port of an agent. Rejects with StatusError if none is connected. */
  open(request: UserRequest): Promise<ClientRequest>;
}

/** Where an agent has the API server of its cluster. */
const PREFIX = '/kubernetes/cluster';

/** `what` names the cluster in errors. */
export function wayByAgent(what: string, { token, open }: AgentWay): Way {
  const send: Send = async (purpose, path, { method = 'GET', headers = {}, signal }, body) => {
    const asked = {
      method,
      path: PREFIX + path,
      headers: alternating(headers),
      lasting: purpose === 'watches',
    };
    return answerTo(await open(asked), body, signal);
  };
  return {
    // The name in the certificates of API servers.
    server: 'https://kubernetes.default.svc',
    authority: undefined,
    async options(purpose) {
      // People have tokens of their own.
      if (purpose === 'users')
        throw failure('ServiceUnavailable', `no agent of ${what} is connected`, { retryAfterSeconds: 1 });
      return { headers: { authorization: `Bearer ${await token()}` } };
    },
    send,
    close: () => undefined,
  };
}

function answerTo(
  made: ClientRequest,
  body: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const abort = (): void => void made.destroy(new Error('aborted'));
  signal?.addEventListener('abort', abort, { once: true });
  made.once('close', () => signal?.removeEventListener('abort', abort));
  if (signal?.aborted === true) abort();
  return new Promise((resolve, reject) => {
    made.once('response', resolve).once('error', reject);
    // An answer that changes the protocol is no error to Node.
    made.once('close', () => reject(new Error('the connection ended without an answer')));
    made.end(body);
  });
}

const alternating = (headers: OutgoingHttpHeaders | readonly string[]): string[] =>
  Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, String(one)]));
