import { unescapedExtraKey } from '../extrakey.js';
import { settledGroups } from '../groups.js';
import { headerText } from '../headertext.js';
import type { User } from '../interface.js';
import type { RequestHeaderSettings } from './settings.js';

/**
 * The user in the headers (`k8s.io/apiserver/pkg/authentication/request/headerrequest`); undefined if they have none.
 * The first header with a name, and with a uid, is used; groups and extra values may repeat, and are never split. Throws
 * TypeError for invalid UTF-8, and for a header with several names or uids.
 * @param rawHeaders names and values in turn, each character a byte
 */
export function userOfHeaders(
  rawHeaders: readonly string[],
  settings: RequestHeaderSettings,
): User | undefined {
  const { usernameHeaders, uidHeaders, groupHeaders, extraHeaderPrefixes } = settings;
  const sent = readHeaders(rawHeaders);
  const name = firstOf(sent, usernameHeaders);
  if (name === '') return undefined;
  const groups = groupHeaders.flatMap((header) => valuesOf(sent, header));
  return {
    name,
    uid: firstOf(sent, uidHeaders),
    groups: settledGroups(name, groups),
    extra: extraOf(sent, extraHeaderPrefixes),
  };
}

/** The name is in lower case. */
type Sent = readonly (readonly [name: string, value: string])[];

function readHeaders(rawHeaders: readonly string[]): Sent {
  const sent: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    sent.push([rawHeaders[at]!.toLowerCase(), rawHeaders[at + 1]!]);
  return sent;
}

const firstOf = (sent: Sent, headers: readonly string[]): string =>
  headers.map((header) => onlyOf(valuesOf(sent, header))).find((value) => value !== '') ?? '';

function onlyOf([value = '', ...others]: readonly string[]): string {
  if (others.some((other) => other !== value)) throw new TypeError('a header names several users');
  return value;
}

/** Empty ones are left out. */
const valuesOf = (sent: Sent, header: string): string[] =>
  sent.filter(([name, value]) => name === header && value !== '').map(([, value]) => headerText(value));

function extraOf(sent: Sent, prefixes: readonly string[]): Record<string, readonly string[]> {
  const extra: Record<string, string[]> = Object.create(null);
  for (const prefix of prefixes) {
    for (const [name, value] of sent)
      if (name.startsWith(prefix))
        (extra[unescapedExtraKey(name.slice(prefix.length))] ??= []).push(headerText(value));
  }
  return extra;
}
