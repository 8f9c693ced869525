/** Interim responses (RFC 9110, 15.2): Node reads them for as long as the other end sends some. */
import type { ClientRequest } from 'node:http';

/** Far more than any server has a use for. */
const MAX_INTERIM = 100;

/** Aborts the request beyond a number of them. */
export function boundInterim(request: ClientRequest): void {
  let count = 0;
  request.on('information', () => {
    count += 1;
    if (count === MAX_INTERIM) request.destroy(new Error('too many interim responses'));
  });
}
