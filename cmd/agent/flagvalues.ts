/** Parsers of flag values of the agent. Each throws an Error that names the valid values. */
import { isIP } from 'node:net';

export interface AddressAndPort {
  readonly address: string;
  readonly port: number;
}

/** `127.0.0.1:9402`, `[::1]:9402`. */
export function addressAndPort(given: string): AddressAndPort {
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(given) ?? [];
  const ip = bracketed ?? plain ?? '';
  if (isIP(ip) === 0 || Number(port) > 65_535)
    throw new Error('it must be an address and a port such as 127.0.0.1:9402');
  return { address: ip, port: Number(port) };
}

/** The prefix of user and group names: not empty, and not reserved by the cluster. */
export function userPrefix(given: string): string {
  if (!/^[\x21-\x7e]{1,100}$/.test(given) || given.startsWith('system:'))
    throw new Error('it must be 1 to 100 characters without spaces, and not begin with system:');
  return given;
}
