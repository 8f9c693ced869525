import type { IncomingMessage } from 'node:http';

/** Whether a request has more than one `Authorization` header: which of them counts, readers do not agree on. */
export function severalAuthorizations({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 13 && rawHeaders[at]?.toLowerCase() === 'authorization') count += 1;
  return count > 1;
}
