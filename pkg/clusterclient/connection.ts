/** Requests over one agent, each with an end. */
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import { badRequest, failure } from '../apimachinery/errors.js';
import type { AddressPolicy } from './addresspolicy.js';
import { AddressRefused, checkHost, policedLookup } from './addresspolicy.js';
import type { ClusterAnswer, ClusterRequest, Connection } from './interface.js';
import type { ClusterCredentials } from './kubeconfig.js';
import { countUpTo, parseJson } from '../apimachinery/encoding/depth.js';
import { MAX_BODY_VALUES } from '../apimachinery/encoding/valuecount.js';
import { codeOf } from '../apimachinery/caught.js';

/** From the request to the end of its answer. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Bytes of an answer: a Secret is 1 MiB at most, in base64 and with its metadata. */
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_SOCKETS = 8;

/** `what` names the cluster in errors: `cluster "east"`. */
export async function connectionOf(
  what: string,
  credentials: ClusterCredentials,
  policy: AddressPolicy,
  patienceMs = REQUEST_TIMEOUT_MS,
): Promise<Connection> {
  const options = await clientOptions(credentials);
  const { ca, cert, key } = options;
  const agent = new Agent({
    ca,
    cert,
    key,
    rejectUnauthorized: true,
    keepAlive: true,
    maxSockets: MOST_SOCKETS,
    lookup: policedLookup(policy),
  });
  const { server, authority } = credentials;
  return {
    server,
    authority,
    async request(request) {
      checkServer(what, server, policy);
      return send(what, server, { ...options, agent, rejectUnauthorized: true }, request, patienceMs);
    },
    close: () => agent.destroy(),
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
  { method, path, body, contentType = 'application/json' }: ClusterRequest,
  patienceMs: number,
): Promise<ClusterAnswer> {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers = {
    ...options.headers,
    accept: 'application/json',
    'user-agent': 'management-apiserver',
    ...(bytes !== undefined && { 'content-type': contentType, 'content-length': bytes.length }),
  };
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = httpsRequest(`${server}${path}`, { ...options, method, headers, signal }, resolve);
      sent.once('error', reject);
      sent.end(bytes);
    });
    return { status: response.statusCode ?? 0, object: objectIn(await textOf(response)) };
  } catch (error) {
    if (error instanceof AddressRefused) throw refusedAddress(what, error);
    throw unreachable(what, signal.aborted ? 'it did not answer in time' : reasonOf(error));
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) throw new RangeError('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * What is no JSON object counts as none. Throws RangeError for more lists, objects or commas than a request may bring values:
 * a text of these alone takes seconds to parse, on the thread that serves everybody.
 */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  for (const sign of [',', '[', '{'])
    if (countUpTo(text, sign, MAX_BODY_VALUES) > MAX_BODY_VALUES)
      throw new RangeError('the answer is too large');
  try {
    const value: unknown = parseJson(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
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

const unreachable = (what: string, why: string): Error =>
  failure('Timeout', `${what} cannot be reached: ${why}`, {});

/** The kind of failure alone: addresses in messages of the network are nobody's business. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  const code = codeOf(error) ?? 'the connection broke off';
  return code;
}
