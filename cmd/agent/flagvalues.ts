/** From the text of a flag of the agent to its value. Each throws an Error that says what is valid. */
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

/** What names of users and groups get in front: never nothing, and nothing that the cluster has for itself. */
export function userPrefix(given: string): string {
  if (!/^[\x21-\x7e]{1,100}$/.test(given) || given.startsWith('system:'))
    throw new Error('it must be 1 to 100 characters without spaces, and not begin with system:');
  return given;
}

export function audience(given: string): string {
  if (!/^[\x21-\x7e]{1,200}$/.test(given)) throw new Error('it must be 1 to 200 characters without spaces');
  return given;
}
