/** Parsers of flag values for every program. Each throws an Error with the valid values. */
import { isIP } from 'node:net';
import { parseDuration } from './options/duration.js';
import { dns1123Subdomain } from './validation/names.js';

/** The name of a Kubernetes object: */
export function objectName(given: string): string {
  const [problem] = dns1123Subdomain(given);
  if (problem !== undefined) throw new Error(problem);
  return given;
}

export function wholeNumber(least: number, most: number): (given: string) => number {
  return (given) => {
    const number = Number(given);
    if (!/^\d+$/.test(given) || number < least || number > most) {
      throw new Error(`it must be a whole number from ${least} to ${most}`);
    }
    return number;
  };
}

export function boolean(given: string): boolean {
  if (given === 'true' || given === 'false') return given === 'true';
  throw new Error('it must be true or false');
}

/** An address to listen on. */
export function address(given: string): string {
  if (isIP(given) === 0) throw new Error('it must be an IP address such as 127.0.0.1, ::1 or 0.0.0.0 (all)');
  return given;
}

/** A duration in milliseconds; both limits are durations. */
export function durationBetween(least: string, most: string): (given: string) => number {
  return (given) => {
    const nanoseconds = parseDuration(given);
    if (nanoseconds < parseDuration(least) || nanoseconds > parseDuration(most))
      throw new Error(`it must be from ${least} to ${most}`);
    return Number(nanoseconds / 1_000_000n);
  };
}

/** A duration of a second or more, in milliseconds. */
export function duration(given: string): number {
  const milliseconds = Number(parseDuration(given) / 1_000_000n);
  if (milliseconds < 1_000) throw new Error('it must be a second or more');
  return milliseconds;
}

/** Whether a URL has a query, a fragment or credentials, which logs and `/flagz` would show. */
export const hasMore = ({ search, hash, username, password }: URL): boolean =>
  `${search}${hash}${username}${password}` !== '';

/** The URL of a server: without query, fragment and credentials. */
export function httpsUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== 'https:' || hasMore(url))
    throw new Error('it must be a URL such as https://management.example.com');
  return given;
}

/** A prefix of object names, with room for the rest. */
export function namePrefix(given: string): string {
  if (!/^[a-z0-9][-a-z0-9]{0,39}$/.test(given)) {
    throw new Error('it must be at most 40 of a-z, 0-9 and -, and not begin with -');
  }
  return given;
}
