/** The last login of a person, in the status of their User: pure functions. */
import type { LoginRecord } from './claims.js';

/** Of the login, in ms since 1970. */
export const timeOf = ({ time = '' }: LoginRecord): number => Date.parse(time) || 0;
const expiryOf = ({ expires = '' }: LoginRecord): number => Date.parse(expires) || 0;

/** Whether what the rules give counts. `now`: ms since 1970. */
export const isOpen = (login: LoginRecord | undefined, now: number): boolean =>
  login !== undefined && login.ended !== true && expiryOf(login) > now;

/** When an open login ends by itself; `Infinity` for others, which stay as they are. */
export const openUntil = (login: LoginRecord | undefined, now: number): number =>
  login !== undefined && isOpen(login, now) ? expiryOf(login) : Infinity;

/** What rights depend on: another login with the same claims changes none. */
export function meaningOf(login: LoginRecord | undefined): unknown {
  if (login === undefined || login.ended === true) return {};
  const { issuer, claims } = login;
  return { issuer, claims };
}
