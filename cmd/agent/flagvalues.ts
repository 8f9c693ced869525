/** From the text of a flag to its value. Each throws commander's error, which says what is valid. */
import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../pkg/apimachinery/options/duration.js';
import { dns1123Subdomain } from '../../pkg/apimachinery/validation/names.js';

export function objectName(given: string): string {
  const [problem] = dns1123Subdomain(given);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return given;
}

export function address(given: string): string {
  if (isIP(given) === 0) throw new InvalidArgumentError('it must be an IP address such as 127.0.0.1 or ::');
  return given;
}

export interface AddressAndPort {
  readonly address: string;
  readonly port: number;
}

/** `127.0.0.1:9402`, `[::1]:9402`. */
export function addressAndPort(given: string): AddressAndPort {
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(given) ?? [];
  const ip = bracketed ?? plain ?? '';
  if (isIP(ip) === 0 || Number(port) > 65_535)
    throw new InvalidArgumentError('it must be an address and a port such as 127.0.0.1:9402');
  return { address: ip, port: Number(port) };
}

export function wholeNumber(least: number, most: number): (given: string) => number {
  return (given) => {
    const number = Number(given);
    if (!/^\d+$/.test(given) || number < least || number > most)
      throw new InvalidArgumentError(`it must be a whole number from ${least} to ${most}`);
    return number;
  };
}

/** In milliseconds; both ends as durations are written. */
export function durationBetween(least: string, most: string): (given: string) => number {
  return (given) => {
    const nanoseconds = nanosecondsOf(given);
    if (nanoseconds < parseDuration(least) || nanoseconds > parseDuration(most))
      throw new InvalidArgumentError(`it must be from ${least} to ${most}`);
    return Number(nanoseconds / 1_000_000n);
  };
}

function nanosecondsOf(given: string): bigint {
  try {
    return parseDuration(given);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

/** What names of users and groups get in front: never nothing, and nothing that the cluster has for itself. */
export function userPrefix(given: string): string {
  if (!/^[\x21-\x7e]{1,100}$/.test(given) || given.startsWith('system:'))
    throw new InvalidArgumentError(
      'it must be 1 to 100 characters without spaces, and not begin with system:',
    );
  return given;
}

export function audience(given: string): string {
  if (!/^[\x21-\x7e]{1,200}$/.test(given))
    throw new InvalidArgumentError('it must be 1 to 200 characters without spaces');
  return given;
}

export function namePrefix(given: string): string {
  if (!/^[a-z0-9][-a-z0-9]{0,39}$/.test(given))
    throw new InvalidArgumentError('it must be at most 40 of a-z, 0-9 and -, and not begin with -');
  return given;
}
