/** Why a server gives no answer, in words that say what to do. */
import { causeOf, codeOf, messageOf } from '../../../pkg/apimachinery/caught.js';
import { Failure } from '../failure.js';
import type { Connection } from './serverconnection.js';

const UNTRUSTED = /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_|INVALID_CA$)/;
const OTHER_NAME = /^ERR_TLS_CERT_ALTNAME_INVALID$/;

/** What OpenSSL finds instead of a handshake where a port speaks plain HTTP. */
const NO_TLS = /wrong version number|packet length too long|http request/i;

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^CERT_HAS_EXPIRED$/, "renew the server's certificate, or set the clock of this machine"],
  [/^CERT_NOT_YET_VALID$/, 'set the clock of this machine, or of the server'],
  [OTHER_NAME, 'use a name of the server that its certificate has'],
  [UNTRUSTED, 'name its authority with --ca-file at login, or with PLATFORM_CA_FILE'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'look at the name of the server, and at the network'],
  [/^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'look whether the server runs'],
  [/^(EPROTO|ERR_SSL_)/, 'look whether the URL is that of the server'],
];

const adviceOn = (code: string): (typeof ADVICE)[number] | undefined =>
  ADVICE.find(([known]) => known.test(code));

/** Whether nobody who is trusted issued the certificate. `code`: Node's. */
export const isUntrusted = (code: string): boolean => adviceOn(code)?.[0] === UNTRUSTED;

export function unreachable({ server, caFrom }: Connection, error: unknown): Failure {
  const message = messageOf(error);
  const code = codeOf(error) ?? '';
  // Several addresses that all fail make an error without a message.
  const said = NO_TLS.test(message) ? 'this port does not speak TLS' : message === '' ? code : message;
  const advice =
    isUntrusted(code) && caFrom !== undefined
      ? `the authority in ${caFrom} did not issue its certificate: name the right one`
      : adviceOn(code)?.[1];
  return new Failure('failed', `${server.origin} cannot be reached: ${said}`, { cause: error, advice });
}

/** Whether the certificate of the server is why. */
export function isCertificateFailure(error: unknown): boolean {
  const code = codeOf(causeOf(error)) ?? '';
  return UNTRUSTED.test(code) || OTHER_NAME.test(code);
}
