/** From the text of a flag to its value, for every program. Each throws an Error that says what is valid. */
import { isIP } from 'node:net';
import { parseDuration } from './options/duration.js';
import { dns1123Subdomain } from './validation/names.js';

/** Of an object of Kubernetes: `v1.management.svc.example`. */
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

/** To listen at. */
export function address(given: string): string {
  if (isIP(given) === 0) throw new Error('it must be an IP address such as 127.0.0.1, ::1 or 0.0.0.0 (all)');
  return given;
}

/** In milliseconds; both ends as durations are written. */
export function durationBetween(least: string, most: string): (given: string) => number {
  return (given) => {
    const nanoseconds = parseDuration(given);
    if (nanoseconds < parseDuration(least) || nanoseconds > parseDuration(most))
      throw new Error(`it must be from ${least} to ${most}`);
    return Number(nanoseconds / 1_000_000n);
  };
}

/** What names of objects begin with, so that there is room for more. */
export function namePrefix(given: string): string {
  if (!/^[a-z0-9][-a-z0-9]{0,39}$/.test(given)) {
    throw new Error('it must be at most 40 of a-z, 0-9 and -, and not begin with -');
  }
  return given;
}
