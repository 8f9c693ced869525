/** Requests over one agent, each with an end. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import { TooLarge, linesOf, textOf } from '../apimachinery/chunks.js';
import { membersOf } from '../apimachinery/encoding/members.js';
import { StatusError, badRequest, failure } from '../apimachinery/errors.js';
import type { AddressPolicy } from './addresspolicy.js';
import { AddressRefused, checkHost, policedLookup } from './addresspolicy.js';
import type { ClusterAnswer, ClusterRequest, ClusterWatch, Connection } from './interface.js';
import { AnswerTooLarge, MAX_WATCH_SECONDS } from './interface.js';
import type { ClusterCredentials } from './kubeconfig.js';
import type { Dial } from './tunnelagent.js';
import { TunnelAgent } from './tunnelagent.js';
import { parseJson } from '../apimachinery/encoding/depth.js';
import { hasMoreValuesThan } from '../apimachinery/encoding/jsonscan.js';
import { MAX_BODY_VALUES } from '../apimachinery/encoding/valuecount.js';
import { codeOf } from '../apimachinery/caught.js';

/** From the request to the end of its answer. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Bytes of an answer: a Secret is 1 MiB at most, in base64 and with its metadata, of which a character may be six bytes. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_SOCKETS = 8;
/** Watches at the same time. */
const MOST_WATCHES = 8;
/** From the request of a watch to its end. */
const WATCH_TIMEOUT_MS = (MAX_WATCH_SECONDS + 15) * 1_000;
/** Events that are read of a watch in one second: what a cluster sends beyond that waits in its sockets. */
const EVENTS_PER_SECOND = 2_000;
/** A longer one counts as several. */
const EVENT_CHARACTERS = 1_024;

/** What the requests of a connection are sent with. */
export interface Way {
  readonly server: string;
  readonly authority: string | undefined;
  /** Credentials and the agent. Rejects with StatusError. */
  options(purpose: 'requests' | 'watches'): Promise<RequestOptions>;
  close(): void;
}

/** `what` names the cluster in errors: `cluster "east"`. `dial`: makes the connections, so that no address is connected to. */
export async function connectionOf(
  what: string,
  credentials: ClusterCredentials,
  policy: AddressPolicy,
  timeoutMs = REQUEST_TIMEOUT_MS,
  dial?: Dial,
): Promise<Connection> {
  const options = await clientOptions(credentials);
  const { ca, cert, key } = options;
  const agentOf = (maxSockets: number): Agent => {
    const shared = { ca, cert, key, rejectUnauthorized: true, keepAlive: true, maxSockets };
    if (dial !== undefined) return new TunnelAgent(shared, dial);
    return new Agent({ ...shared, lookup: policedLookup(policy) });
  };
  const agents = { requests: agentOf(MOST_SOCKETS), watches: agentOf(MOST_WATCHES) };
  const { server, authority } = credentials;
  const way: Way = {
    ...{ server, authority },
    async options(purpose) {
      if (dial === undefined) checkServer(what, server, policy);
      return { ...options, agent: agents[purpose], rejectUnauthorized: true };
    },
    close() {
      agents.requests.destroy();
      agents.watches.destroy();
    },
  };
  return connectionBy(what, way, timeoutMs);
}

/** As {@link connectionOf}, with credentials that are found elsewhere. */
export function connectionBy(what: string, way: Way, timeoutMs = REQUEST_TIMEOUT_MS): Connection {
  const { server, authority } = way;
  return {
    ...{ server, authority },
    request: async (request) => send(what, server, await way.options('requests'), request, timeoutMs),
    watch: async (watch) => follow(what, server, await way.options('watches'), watch),
    close: () => way.close(),
  };
}

/** What `@kubernetes/client-node` makes of the credentials: nothing but what was checked is given to it. */
async function clientOptions(credentials: ClusterCredentials): Promise<RequestOptions> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const { server, authority, certificate, key, token } = credentials;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [
      {
        name: 'it',
        server,
        skipTLSVerify: false,
        ...(authority !== undefined && { caData: base64(authority) }),
      },
    ],
    users: [
      {
        name: 'it',
        ...(certificate !== undefined && { certData: base64(certificate) }),
        ...(key !== undefined && { keyData: base64(key) }),
        ...(token !== undefined && { token }),
      },
    ],
    contexts: [{ name: 'it', cluster: 'it', user: 'it' }],
    currentContext: 'it',
  });
  const options: RequestOptions = { headers: {} };
  await config.applyToHTTPSOptions(options);
  return options;
}

async function send(
  what: string,
  server: string,
  options: RequestOptions,
  { method, path, body, contentType = 'application/json', accept = 'application/json' }: ClusterRequest,
  timeoutMs: number,
): Promise<ClusterAnswer> {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers = {
    ...options.headers,
    accept,
    'user-agent': 'management-apiserver',
    ...(bytes !== undefined && { 'content-type': contentType, 'content-length': bytes.length }),
  };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = httpsRequest(`${server}${path}`, { ...options, method, headers, signal }, resolve);
      sent.once('error', reject);
      sent.end(bytes);
    });
    return { status: response.statusCode ?? 0, object: objectIn(await textOf(response, MOST_BYTES)) };
  } catch (error) {
    if (error instanceof AddressRefused) throw refusedAddress(what, error);
    if (signal.aborted) throw unreachable(what, 'it did not answer in time');
    throw failed(what, error);
  }
}

async function follow(
  what: string,
  server: string,
  options: RequestOptions,
  { path, accept = 'application/json', signal: ended, onEvent }: ClusterWatch,
): Promise<number> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(WATCH_TIMEOUT_MS)]);
  const headers = { ...options.headers, accept, 'user-agent': 'management-apiserver' };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = httpsRequest(`${server}${path}`, { ...options, headers, signal }, resolve);
      sent.once('error', reject);
      sent.end();
    });
    const { statusCode = 0 } = response;
    if (statusCode !== 200) {
      response.destroy();
      return statusCode;
    }
    let read = 0;
    let second = performance.now();
    for await (const line of linesOf(response, MOST_BYTES)) {
      if (line.trim() !== '') await onEvent(objectIn(line));
      read += 1 + line.length / EVENT_CHARACTERS;
      if (read < EVENTS_PER_SECOND) continue;
      await sleep(Math.max(0, second + 1_000 - performance.now()), undefined, { signal });
      [read, second] = [0, performance.now()];
    }
    return statusCode;
  } catch (error) {
    if (ended.aborted) return 200;
    if (error instanceof AddressRefused) throw refusedAddress(what, error);
    throw failed(what, error);
  }
}

/**
 * The most commas, and lists or objects, of an answer: more than a Secret of 1.5 MiB has of finalizers, or of fields that are
 * managed, so that nobody's Secret makes an answer too large.
 */
const MOST_COMMAS = 8 * MAX_BODY_VALUES;
const MOST_OPENED = 131_072;

/**
 * What is no JSON object counts as none. Throws TooLarge for too many lists, objects or commas: a text of these alone takes
 * seconds to parse, on the thread that serves everybody. Those in strings do not count.
 */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  if (hasMoreValuesThan(text, MOST_COMMAS) || hasMoreValuesThan(text, MOST_OPENED, ['[', '{']))
    throw new TooLarge('the answer is too large');
  try {
    return membersOf(parseJson(text));
  } catch {
    return {};
  }
}

/** Names are judged when they are resolved. */
function checkServer(what: string, server: string, policy: AddressPolicy): void {
  try {
    checkHost(policy, server);
  } catch (error) {
    if (error instanceof AddressRefused) throw refusedAddress(what, error);
    throw error;
  }
}

const refusedAddress = (what: string, { message }: AddressRefused): Error =>
  badRequest(`${what} is refused: ${message} (--allow-cluster-networks)`);

const unreachable = (what: string, why: string): StatusError =>
  failure('Timeout', `${what} cannot be reached: ${why}`, {});

/** The kind of failure alone: addresses in messages of the network are nobody's business. */
function failed(what: string, error: unknown): StatusError {
  // Of a tunnel: it names no address.
  if (error instanceof StatusError) return unreachable(what, error.message);
  if (error instanceof TooLarge) return new AnswerTooLarge(unreachable(what, error.message).status);
  const why = error instanceof RangeError ? error.message : codeOf(error);
  return unreachable(what, why ?? 'the connection broke off');
}
