/** Removes secrets from a file that leaves the machine, also those in errors and answers. */
import type { Connection } from '../connection/serverconnection.js';

const REDACTED = '[redacted]';
/** Shorter ones would be found everywhere. */
const SHORTEST = 6;
/**
 * Users and passwords of URLs, credentials of headers, JSON Web Tokens (and whatever else is JSON in Base64), and private keys in
 * PEM. All are fast for any text, as a server chooses it.
 */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\/\/[^/\s"]*@/g, '//'],
  [/\b(Authorization\\?"? *: *\\?"?(?:Basic|Bearer)) +[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  [/\b(Authorization: *\w+|Bearer) +[\w.~+/=-]{16,}/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]+(\.[\w-]+){0,2}/g, REDACTED],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?(-----END [A-Z ]*PRIVATE KEY-----|(?=\\?")|$)/g, REDACTED],
];

/** The secrets that the client itself has. */
export const secretsOf = (
  { token, auth, key }: Partial<Pick<Connection, 'token' | 'auth' | 'key'>>,
  env: Readonly<Record<string, string | undefined>>,
): string[] =>
  [token, ...(auth === undefined ? [] : partsOf(auth)), key, env.PLATFORM_ACCESS_KEY].filter(
    (secret) => secret !== undefined,
  );

/** A name and a password: as they are, as a header has them, and the password. */
const partsOf = (auth: string): string[] => [
  auth,
  Buffer.from(auth).toString('base64'),
  auth.slice(auth.indexOf(':') + 1),
];

/** `text` without these secrets, as they are or in a string of JSON, and without what has the shape of one. */
export function redacted(text: string, secrets: readonly string[]): string {
  const known = secrets
    .filter(({ length }) => length >= SHORTEST)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return SHAPES.reduce((rest, [shape, instead]) => rest.replace(shape, instead), known);
}
