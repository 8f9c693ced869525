/** The addresses that a request came from. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { User } from '../../apimachinery/user.js';

/**
 * The client's address first (`k8s.io/apimachinery/pkg/util/net.SourceIPs`). An authenticated front proxy forwards it in
 * `X-Forwarded-For`, as the last of the addresses there: those before are what its client says. Headers of other clients
 * are ignored.
 */
export function sourceAddresses(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  user: Pick<User, 'byFrontProxy'> | undefined,
): readonly string[] {
  const { remoteAddress } = socket;
  const own = remoteAddress === undefined ? [] : [remoteAddress];
  if (user?.byFrontProxy !== true) return own;
  const forwarded = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',').at(-1)?.trim() ?? '';
  return isIP(forwarded) === 0 || forwarded === remoteAddress ? own : [forwarded, ...own];
}
