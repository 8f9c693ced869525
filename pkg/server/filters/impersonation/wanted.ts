/** The headers `Impersonate-*`. */
import { badRequest, quote } from '../../../apimachinery/errors.js';
import { unescapedExtraKey } from '../../../authentication/extrakey.js';
import { headerText } from '../../../authentication/headertext.js';
import type { User } from '../../../authentication/interface.js';
import type { Exchange } from '../../httpexchange.js';

const PREFIX = 'impersonate-';
const EXTRA = 'impersonate-extra-';

/** The user whom the headers name, as they do: without groups that it has anyway. */
export type Wanted = Pick<User, 'name' | 'uid' | 'groups' | 'extra'>;

/**
 * Undefined without impersonation. Throws StatusError 400 for headers without a user name (an empty one is what is left of
 * a name of blanks) and for values that are not UTF-8.
 */
export function wantedUser({ headers, rawHeaders }: Exchange['request']): Wanted | undefined {
  if (!asksToImpersonate(headers)) return undefined;
  const wanted = readHeaders(rawHeaders);
  if (wanted.name !== '') return wanted;
  if (isNobody(wanted)) throw badRequest('the headers Impersonate-* name nobody to act as');
  throw badRequest(`requested ${printed(wanted)} without impersonating a user name`);
}

function asksToImpersonate(headers: object): boolean {
  for (const name in headers) if (name.startsWith(PREFIX)) return true;
  return false;
}

/** Reads the raw headers, as joined ones are ambiguous for values with commas. The listener refuses a second user or uid. */
function readHeaders(rawHeaders: readonly string[]): Wanted {
  const values = (name: string): string[] =>
    rawHeaders
      .filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
      .map((value) => textOf(name, value));
  const extra: Record<string, string[]> = Object.create(null);
  rawHeaders.forEach((value, at) => {
    const name = at % 2 === 1 ? rawHeaders[at - 1]!.toLowerCase() : '';
    if (name.startsWith(EXTRA)) (extra[keyOf(name)] ??= []).push(textOf(name, value));
  });
  return {
    name: values(`${PREFIX}user`)[0] ?? '',
    uid: values(`${PREFIX}uid`)[0] ?? '',
    groups: values(`${PREFIX}group`),
    extra,
  };
}

const keyOf = (name: string): string => inUtf8(name, () => unescapedExtraKey(name.slice(EXTRA.length)));

const textOf = (name: string, value: string): string => inUtf8(name, () => headerText(value));

function inUtf8(name: string, read: () => string): string {
  try {
    return read();
  } catch {
    throw badRequest(`the header ${name} is not UTF-8`);
  }
}

const isNobody = ({ uid, groups, extra }: Wanted): boolean =>
  uid === '' && groups.length === 0 && Object.keys(extra).length === 0;

/** As Go prints the struct. */
function printed({ uid, groups, extra }: Wanted): string {
  const list = (texts: readonly string[]): string => `[]string{${texts.map(quote).join(', ')}}`;
  const members = Object.entries(extra).map(([key, texts]) => `${quote(key)}:${list(texts)}`);
  const map =
    members.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${members.join(', ')}}`;
  const shown = groups.length === 0 ? '[]string(nil)' : list(groups);
  return `&user.DefaultInfo{Name:"", UID:${quote(uid)}, Groups:${shown}, Extra:${map}}`;
}
