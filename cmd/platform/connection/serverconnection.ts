import type { Agent } from 'node:http';

/** A server and the caller's credentials. It holds secrets. */
export interface Connection {
  /** https; may have a path below which the API lies. */
  readonly server: URL;
  readonly token: string | undefined;
  /** `user:password`, where the caller has these. */
  readonly auth: string | undefined;
  /** PEM; undefined: the system's authorities. */
  readonly ca: string | undefined;
  /** Where these are from: `PLATFORM_CA_FILE=ca.crt`. */
  readonly caFrom: string | undefined;
  /** PEM of the client's certificate and key. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Name to verify instead of the URL's host. */
  readonly servername: string | undefined;
  readonly rejectUnauthorized: boolean;
  /** Goes through a proxy; undefined: straight. */
  readonly proxy: Agent | undefined;
}
