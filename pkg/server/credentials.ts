import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Credentials } from '../authentication/interface.js';

type ClientCertificate = Credentials['clientCertificate'];

/** The certificate of a connection, looked at once; keyed by HTTP/2 session or HTTP/1.1 socket. */
const certificates = new WeakMap<object, { readonly certificate: ClientCertificate }>();

/** What a request offers to prove who it is. Call it before the request's connection can be gone. */
export function credentialsOf(request: IncomingMessage | Http2ServerRequest): Credentials {
  return { authorization: request.headers.authorization, clientCertificate: clientCertificateOf(request) };
}

function clientCertificateOf(request: IncomingMessage | Http2ServerRequest): ClientCertificate {
  const session = 'stream' in request ? request.stream?.session : undefined;
  const connection = session ?? request.socket;
  if (connection === undefined || connection === null) return undefined;
  const known = certificates.get(connection);
  if (known !== undefined) return known.certificate;
  const certificate = verifiedSubject((session?.socket ?? request.socket) as TLSSocket);
  certificates.set(connection, { certificate });
  return certificate;
}

/** The subject of a certificate that chains to the client CA; the last common name counts, as in Go. */
function verifiedSubject(socket: TLSSocket): ClientCertificate {
  if (socket.authorized !== true) return undefined;
  const subject = socket.getPeerCertificate().subject as unknown as
    Record<string, string | string[] | undefined> | undefined;
  if (subject === undefined) return undefined;
  return { commonName: [subject.CN ?? []].flat().at(-1) ?? '', organizations: [subject.O ?? []].flat() };
}
