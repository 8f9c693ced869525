/** Names of the keys of logins. The session at the provider is part of the name, which nobody can change. */
import { createHash } from 'node:crypto';
import type { KubeObject } from '../../../../api/resource.js';
import { LOGIN_KEYS } from '../../loginkeys.js';

/** In characters of hexadecimal digits. */
const LOGIN = 16;
const SESSION = 12;

const hashOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

/** `session`: the claim `sid`; empty: the provider tells none. */
export const loginKeyName = (user: string, login: string, session: string): string =>
  `${LOGIN_KEYS}${user}-${session === '' ? '' : hashOf(session, SESSION)}${hashOf(login, LOGIN)}`;

const DEVICE = `${LOGIN_KEYS}device-`;

/** Only this server can create a key of this name, as no other knows the login. */
export const deviceKeyName = (login: string): string => DEVICE + hashOf(login, 2 * LOGIN);

/** Whether the device has not fetched the key: whoever changes it before keeps it from that. */
export const isUnfetched = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  (metadata.name ?? '').startsWith(DEVICE) && metadata.generation === 1;

/** Whether a key is of this session of the provider; undefined: its session is not known. */
export function isOfSession(name: string, session: string): boolean | undefined {
  const hashes = name.slice(name.lastIndexOf('-') + 1);
  return hashes.length === SESSION + LOGIN ? hashes.startsWith(hashOf(session, SESSION)) : undefined;
}
