import type { Socket } from 'node:net';

/** A connection with the parser that Node gives it, which its types leave out. */
type Parsed = Socket & { readonly parser?: { pause?: () => void } | null };

/**
 * Keeps Node from pausing the parser of HTTP/1.1 while an answer before it waits to be sent. Parts of a body that TLS has
 * decrypted already reach a paused parser all the same, and it takes them for an error of the client (`HPE_PAUSED`), who gets 400.
 * The connection is not read meanwhile in either case, so the parser is given no more than one read of it.
 */
export function keepParsing({ parser }: Parsed): void {
  if (parser?.pause !== undefined) parser.pause = () => undefined;
}
