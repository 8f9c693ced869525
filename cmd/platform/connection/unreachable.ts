/** Why a server gives no answer, in words that say what to do. */
import { codeOf, messageOf } from '../../../pkg/apimachinery/caught.js';
import { Failure } from '../failure.js';

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^CERT_HAS_EXPIRED$/, "renew the server's certificate, or set the clock of this machine"],
  [/^CERT_NOT_YET_VALID$/, 'set the clock of this machine, or of the server'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'use a name of the server that its certificate has'],
  [
    /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_)/,
    'name its authority with --ca-file at login, or with PLATFORM_CA_FILE',
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'look at the name of the server, and at the network'],
  [/^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'look whether the server runs'],
  [/^(EPROTO|ERR_SSL_)/, 'look whether the URL is that of the server'],
];

export function unreachable(server: URL, error: unknown): Failure {
  const message = messageOf(error);
  const code = codeOf(error) ?? '';
  // Several addresses that all fail make an error without a message.
  const said = message === '' ? code : message;
  const [, advice] = ADVICE.find(([codes]) => codes.test(code)) ?? [];
  const toDo = advice === undefined ? '' : `; ${advice}`;
  return new Failure('failed', `${server.origin} cannot be reached: ${said}${toDo}`, { cause: error });
}
