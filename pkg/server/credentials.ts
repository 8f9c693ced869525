import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Credentials } from '../authentication/interface.js';

type Shown = Pick<Credentials, 'clientCertificate' | 'badCertificate'>;

const NONE: Shown = { clientCertificate: undefined };
const BAD: Shown = { clientCertificate: undefined, badCertificate: true };

/** The certificate of a connection, looked at once; keyed by HTTP/2 session or HTTP/1.1 socket. */
const certificates = new WeakMap<object, Shown>();

/** What a request offers to prove who it is. Call it before the request's connection can be gone. */
export function credentialsOf(request: IncomingMessage | Http2ServerRequest): Credentials {
  const { clientCertificate, badCertificate } = shownBy(request);
  return {
    authorization: request.headers.authorization,
    clientCertificate,
    ...(badCertificate && { badCertificate }),
  };
}

function shownBy(request: IncomingMessage | Http2ServerRequest): Shown {
  const session = 'stream' in request ? request.stream?.session : undefined;
  const connection = session ?? request.socket;
  if (connection === undefined || connection === null) return NONE;
  const known = certificates.get(connection);
  if (known !== undefined) return known;
  const shown = certificateOf((session?.socket ?? request.socket) as TLSSocket);
  certificates.set(connection, shown);
  return shown;
}

/** The subject of a certificate that chains to the client CA; the last common name counts, as in Go. */
function certificateOf(socket: TLSSocket): Shown {
  const certificate = socket.getPeerCertificate();
  const subject = certificate?.subject as unknown as
    Record<string, string | string[] | undefined> | undefined;
  if (subject === undefined) return NONE;
  if (socket.authorized !== true) return BAD;
  const commonName = [subject.CN ?? []].flat().at(-1) ?? '';
  return { clientCertificate: { commonName, organizations: [subject.O ?? []].flat() } };
}
