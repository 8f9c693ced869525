import { overlap, type AuthorityBundle } from '../certificates/bundle.js';

/** The trusted front proxies, and the headers in which they name users. Header names are in lower case. */
export interface RequestHeaderSettings {
  readonly authorities: AuthorityBundle;
  /** Common names of certificates; empty: all that the authorities vouch for. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** The trusted authorities. Undefined: none of that kind. */
export interface ClientTrust {
  /** The authorities of users' client certificates. */
  readonly clients: AuthorityBundle | undefined;
  readonly proxy: RequestHeaderSettings | undefined;
}

/**
 * Throws Error if any user could impersonate any other: the front proxy's authority also signs users, and no allowed
 * names separate the proxy from them.
 */
export function checkTrust({ clients, proxy }: ClientTrust): void {
  if (clients === undefined || proxy === undefined || proxy.allowedNames.length > 0) return;
  if (overlap(clients, proxy.authorities))
    throw new Error(
      'an authority of client certificates is one of the front proxy too, and requestheader-allowed-names is empty: every user could act as any other',
    );
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** In lower case. Throws Error for invalid header names. */
export function headerNames(names: readonly string[], what: string): string[] {
  const bad = names.find((name) => !HEADER_NAME.test(name));
  if (bad !== undefined) throw new Error(`${what}: ${JSON.stringify(bad)} is not the name of a header`);
  return names.map((name) => name.toLowerCase());
}
