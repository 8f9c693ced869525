import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Credentials, ShownCertificate } from '../../authentication/interface.js';
import type { Exchange } from '../httpexchange.js';
import { networkOf } from '../listener/networkof.js';

/** The client of a connection. */
type Client = Required<Pick<Credentials, 'certificate'>> & { readonly source: string };

/** Looked at once; keyed by HTTP/2 session or HTTP/1.1 socket. */
const clients = new WeakMap<object, Client>();
const UNKNOWN: Client = { certificate: undefined, source: '' };

/** The credentials of a request. Call it while the request's connection is open. */
export function credentialsOf({
  request,
  session,
  cluster,
}: Pick<Exchange, 'request' | 'session' | 'cluster'>): Credentials {
  const { headers, rawHeaders } = request;
  const { certificate, source } = clientOf(request);
  const { authorization } = headers;
  if (cluster !== undefined)
    return { authorization, certificate: undefined, rawHeaders: [], source, cluster: cluster.name };
  if (session === undefined) return { authorization, certificate, rawHeaders, source };
  return { authorization: undefined, certificate: undefined, rawHeaders: [], source, session };
}

function clientOf(request: IncomingMessage | Http2ServerRequest): Client {
  const session = 'stream' in request ? request.stream?.session : undefined;
  const connection = session ?? request.socket;
  if (connection === undefined || connection === null) return UNKNOWN;
  const known = clients.get(connection);
  if (known !== undefined) return known;
  // The listener serves nothing without TLS.
  const socket = (session?.socket ?? request.socket) as TLSSocket;
  const client = { certificate: certificateOf(socket), source: networkOf(socket.remoteAddress ?? '') };
  clients.set(connection, client);
  return client;
}

/** Maximum length of the chain that Node builds from the certificates of a client, by their issuers. */
const LONGEST_CHAIN = 10;

function certificateOf(socket: TLSSocket): ShownCertificate | undefined {
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) return undefined;
  const sent: X509Certificate[] = [];
  for (let next = leaf.issuerCertificate; next !== undefined; next = next.issuerCertificate)
    if (sent.push(next) >= LONGEST_CHAIN) break;
  return { leaf, intermediates: sent.length > 0 ? cacheChain(leaf, sent) : (cachedChain(leaf) ?? []) };
}

/**
 * The chain sent with a certificate, by its fingerprint: a resumed TLS session repeats the certificate without the
 * chain. Only the owner of the private key can set it.
 */
const chains = new Map<string, readonly X509Certificate[]>();
const MAX_CHAINS = 1_000;

function cacheChain(leaf: X509Certificate, sent: readonly X509Certificate[]): readonly X509Certificate[] {
  if (chains.size >= MAX_CHAINS) chains.delete(chains.keys().next().value!);
  chains.delete(leaf.fingerprint256);
  chains.set(leaf.fingerprint256, sent);
  return sent;
}

const cachedChain = (leaf: X509Certificate): readonly X509Certificate[] | undefined =>
  chains.get(leaf.fingerprint256);
