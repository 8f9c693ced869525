/** Requests over one agent, each with a timeout. */
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

/** The timeout of a request, including its response. */
const REQUEST_TIMEOUT_MS = 5_000;
/**
 * The maximum bytes of a response: a Secret has at most 1 MiB, in base64 and with metadata, in which a
 * character may take six bytes.
 */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_SOCKETS = 8;
/** The maximum of concurrent watches. */
const MAX_WATCHES = 8;
/** The timeout of a watch. */
const WATCH_TIMEOUT_MS = (MAX_WATCH_SECONDS + 15) * 1_000;
/** The events that are read from a watch in one second. Further ones wait in the sockets. */
const EVENTS_PER_SECOND = 2_000;
/** A longer event counts as several. */
const EVENT_CHARACTERS = 1_024;

/** The settings for the requests of a connection. */
export interface Way {
  readonly server: string;
  readonly authority: string | undefined;
  /** Credentials and the agent. Rejects with StatusError. */
  options(purpose: 'requests' | 'watches'): Promise<RequestOptions>;
  close(): void;
}

/**
 * `what` names the cluster in errors: `cluster "east"`. `dial`: opens the connections, instead of connecting
 * to an address.
 */
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
  const agents = { requests: agentOf(MAX_SOCKETS), watches: agentOf(MAX_WATCHES) };
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

/** As {@link connectionOf}, with credentials from elsewhere. */
export function connectionBy(what: string, way: Way, timeoutMs = REQUEST_TIMEOUT_MS): Connection {
  const { server, authority } = way;
  return {
    ...{ server, authority },
    request: async (request) => send(what, server, await way.options('requests'), request, timeoutMs),
    watch: async (watch) => follow(what, server, await way.options('watches'), watch),
    close: () => way.close(),
  };
}

/** The options that `@kubernetes/client-node` derives from the credentials; it gets only what was checked. */
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
    return { status: response.statusCode ?? 0, object: objectIn(await textOf(response, MAX_BYTES)) };
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
    for await (const line of linesOf(response, MAX_BYTES)) {
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
 * The maximum of commas, and of lists or objects, in a response: more than a Secret of 1.5 MiB has in
 * finalizers or managed fields, so no user's Secret can exceed it.
 */
const MAX_COMMAS = 8 * MAX_BODY_VALUES;
const MAX_COLLECTIONS = 131_072;

/**
 * Parses a JSON object; other text counts as an empty one. Throws TooLarge for too many lists, objects or
 * commas, as such a text takes seconds to parse on the main thread. Those in strings do not count.
 */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  if (hasMoreValuesThan(text, MAX_COMMAS) || hasMoreValuesThan(text, MAX_COLLECTIONS, ['[', '{']))
    throw new TooLarge('the answer is too large');
  try {
    return membersOf(parseJson(text));
  } catch {
    return {};
  }
}

/** Names are checked when they are resolved. */
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

/**
 * Names only the kind of failure: messages of the network contain addresses, which callers must not learn.
 */
function failed(what: string, error: unknown): StatusError {
  // An error of a tunnel contains no address.
  if (error instanceof StatusError) return unreachable(what, error.message);
  if (error instanceof TooLarge) return new AnswerTooLarge(unreachable(what, error.message).status);
  const why = error instanceof RangeError ? error.message : codeOf(error);
  return unreachable(what, why ?? 'the connection broke off');
}
