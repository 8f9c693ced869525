/** Requests over one agent, each with a timeout. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type RequestOptions } from 'node:https';
import { TooLarge } from '../../../../api/client/body.js';
import { requestOver } from '../../../../api/client/node.js';
import { StatusError, badRequest, failure } from '../../../apimachinery/errors.js';
import { boundInterim } from '../../../apimachinery/interimresponses.js';
import { AddressRefused, checkHost, policedLookup, type AddressPolicy } from './addresspolicy.js';
import { AnswerBudget } from './answerbudget.js';
import { objectIn } from './answerobject.js';
import { foreignText, refusalIn } from './foreigntext.js';
import { Gate } from './gate.js';
import {
  AnswerTooLarge,
  MAX_WATCH_SECONDS,
  type ClusterAnswer,
  type ClusterRequest,
  type ClusterWatch,
  type Connection,
} from './interface.js';
import type { ClusterCredentials } from './kubeconfig.js';
import { TunnelAgent, type Dial } from './tunnelagent.js';
import { MAX_USER_REQUESTS, UserRequests } from './userrequests.js';
import { codeOf } from '../../../apimachinery/caught.js';

/** The timeout of a request, including its response. */
const REQUEST_TIMEOUT_MS = 5_000;
/**
 * The maximum bytes of a response: a Secret has at most 1 MiB, in base64 and with metadata, in which a
 * character may take six bytes.
 */
const MAX_BYTES = 4 * 1024 * 1024;
/** The maximum bytes of a response that refuses the request; a longer one counts as empty. */
const MAX_REFUSAL = 64 * 1024;
const MAX_SOCKETS = 8;
/** The maximum of concurrent watches. */
const MAX_WATCHES = 8;
/** The timeout of a watch. */
const WATCH_TIMEOUT_MS = (MAX_WATCH_SECONDS + 15) * 1_000;
/** The events that are read from a watch in one second. Further ones wait in the sockets. */
const EVENTS_PER_SECOND = 2_000;

type Purpose = 'requests' | 'watches' | 'users';

/** Sends a request to a path of a server, as {@link requestOver}. Rejects with StatusError too. */
export type Send = (
  purpose: Purpose,
  path: string,
  options: RequestOptions,
  body: Uint8Array | undefined,
) => Promise<IncomingMessage>;

/** The settings for the requests of a connection. */
export interface Way {
  readonly server: string;
  readonly authority: string | undefined;
  /** Credentials and the agent. Rejects with StatusError. */
  options(purpose: Purpose): Promise<RequestOptions>;
  /** Absent: requests go to `server`. */
  readonly send?: Send;
  close(): void;
}

/**
 * `what` names the cluster in errors: `cluster "east"`. `dial`: opens the connections, instead of connecting
 * to an address.
 */
export function connectionOf(
  what: string,
  credentials: ClusterCredentials,
  policy: AddressPolicy,
  timeoutMs = REQUEST_TIMEOUT_MS,
  dial?: Dial,
): Connection {
  const { server, authority, certificate, key, token } = credentials;
  const tls = { ca: authority, cert: certificate, key, rejectUnauthorized: true };
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const agentOf = (maxSockets: number): Agent => {
    const shared = { ...tls, keepAlive: true, maxSockets };
    if (dial !== undefined) return new TunnelAgent(shared, dial);
    return new Agent({ ...shared, maxFreeSockets: MAX_SOCKETS, lookup: policedLookup(policy) });
  };
  const agents = {
    requests: agentOf(MAX_SOCKETS),
    watches: agentOf(MAX_WATCHES),
    users: agentOf(MAX_USER_REQUESTS),
  };
  const way: Way = {
    server,
    authority,
    async options(purpose) {
      if (dial === undefined) checkServer(what, server, policy);
      return { ...tls, headers, agent: agents[purpose] };
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
  return connectionBy(what, way, timeoutMs);
}

/** As {@link connectionOf}, with credentials from elsewhere. */
export function connectionBy(what: string, way: Way, timeoutMs = REQUEST_TIMEOUT_MS): Connection {
  const { server, authority } = way;
  const direct: Send = (_purpose, path, options, body) =>
    requestOver(`${server}${path}`, options, body, boundInterim);
  const limits = { timeoutMs, gate: new Gate(), budget: new AnswerBudget() };
  const cluster: Asked = { what, sending: way.send ?? direct, ...limits };
  const request: Connection['request'] = async (asked) => send(cluster, await way.options('requests'), asked);
  const users = new UserRequests(what, { server, options: () => way.options('users'), request });
  return {
    server,
    authority,
    request,
    watch: async (watch) => follow(cluster, await way.options('watches'), watch),
    open: (asked) => users.open(asked),
    close() {
      users.close();
      way.close();
    },
  };
}

/** A cluster with its limits, which all requests of a connection share. */
interface Asked {
  readonly what: string;
  readonly sending: Send;
  readonly timeoutMs: number;
  readonly gate: Gate;
  readonly budget: AnswerBudget;
}

async function send(
  { what, sending, timeoutMs, gate, budget }: Asked,
  options: RequestOptions,
  request: ClusterRequest,
): Promise<ClusterAnswer> {
  const { method, path, body, contentType = 'application/json', maxBytes = MAX_BYTES } = request;
  await budget.ready();
  return gate.pass(async () => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      ...request.headers,
      ...headersOf(options, request),
      ...(bytes !== undefined && { 'content-type': contentType, 'content-length': bytes.length }),
    };
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const all = { ...options, method, headers, signal };
      const response = await sending('requests', path, all, bytes);
      const { statusCode: status = 0 } = response;
      if (status >= 400) return { status, object: await refusalOf(response, budget) };
      return await budget.read(response, maxBytes, (text, length) => {
        request.measured?.(length);
        return { status, object: objectIn(text) };
      });
    } catch (error) {
      throw failed(what, error, signal);
    }
  });
}

const headersOf = ({ headers }: RequestOptions, { accept = 'application/json' }: { accept?: string }) => ({
  ...headers,
  accept,
  'user-agent': 'management-apiserver',
});

async function refusalOf(response: IncomingMessage, budget: AnswerBudget): Promise<ClusterAnswer['object']> {
  try {
    return refusalIn(await budget.read(response, MAX_REFUSAL, objectIn));
  } catch (error) {
    if (error instanceof TooLarge) return {};
    throw error;
  }
}

async function follow(
  { what, sending, timeoutMs, gate, budget }: Asked,
  options: RequestOptions,
  watch: ClusterWatch,
): Promise<number> {
  const { path, signal: ended } = watch;
  const late = new AbortController();
  const signal = AbortSignal.any([ended, late.signal, AbortSignal.timeout(WATCH_TIMEOUT_MS)]);
  try {
    await budget.ready(ended);
    const response = await gate.pass(async () => {
      const timer = setTimeout(() => late.abort(), timeoutMs);
      try {
        const all = { ...options, headers: headersOf(options, watch), signal };
        return await sending('watches', path, all, undefined);
      } catch (error) {
        throw ended.aborted ? error : failed(what, error, late.signal);
      } finally {
        clearTimeout(timer);
      }
    });
    const { statusCode = 0 } = response;
    if (statusCode === 200) await readEvents(response, watch, budget);
    else response.destroy();
    return statusCode;
  } catch (error) {
    if (ended.aborted) return 200;
    throw error instanceof StatusError ? error : failed(what, error);
  }
}

async function readEvents(
  response: IncomingMessage,
  { signal, onEvent, skipLarger }: ClusterWatch,
  budget: AnswerBudget,
): Promise<void> {
  let read = 0;
  let second = performance.now();
  const limits = { maxBytes: MAX_BYTES, skipLarger, signal };
  await budget.readLines(response, limits, (line) => {
    const handled = line.trim() === '' ? undefined : onEvent(objectIn(line));
    read += 1;
    if (read < EVENTS_PER_SECOND) return handled;
    const rest = Math.max(0, second + 1_000 - performance.now());
    [read, second] = [0, performance.now() + rest];
    return Promise.resolve(handled).then(() => sleep(rest, undefined, { signal }));
  });
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

const refusedAddress = (what: string, { message }: AddressRefused): StatusError =>
  badRequest(`${what} is refused: ${message} (--allow-cluster-networks)`);

const unreachable = (what: string, why: string): StatusError =>
  failure('Timeout', `${what} cannot be reached: ${why}`, {});

/**
 * Names only the kind of failure: messages of the network contain addresses, which callers must not learn.
 * `late`: aborted by a timeout.
 */
function failed(what: string, error: unknown, late?: AbortSignal): StatusError {
  if (error instanceof AddressRefused) return refusedAddress(what, error);
  if (late?.aborted === true) return unreachable(what, 'it did not answer in time');
  // An error of a tunnel contains no address.
  if (error instanceof StatusError) return unreachable(what, foreignText(error.message));
  if (error instanceof TooLarge) return new AnswerTooLarge(unreachable(what, error.message).status);
  const why = error instanceof RangeError ? error.message : codeOf(error);
  return unreachable(what, why === undefined ? 'the connection broke off' : foreignText(why));
}
