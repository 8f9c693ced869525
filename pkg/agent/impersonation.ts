/** A user as the API server of a cluster is told: by impersonation, under names that nobody has who is not of this service. */
import { failure } from '../apimachinery/errors.js';
import type { User } from '../authentication/interface.js';

/** Groups that every API server has for itself. It adds the one of all who are authenticated. */
const RESERVED = 'system:';
/** What no header holds, or loses on the way: names would become other names. */
const UNFIT = /[\u0000-\u001f\u007f]|^\s|\s$|^$/u;
/** HTTP tokens, in lower case, without `%`, which escapes (RFC 9110, 5.6.2). */
const UNESCAPED = /[^a-z0-9!#$&'*+.^_`|~-]/g;

/**
 * Headers, names and values in turn. `prefix` is put before the name of the user and of each group, as an API server
 * does that verifies the tokens by itself. Throws StatusError 403 for names that cannot be passed on.
 */
export function identityHeaders(user: User, prefix: string): string[] {
  const headers = ['Impersonate-User', prefix + fit(user.name)];
  if (user.uid !== '') headers.push('Impersonate-Uid', fit(user.uid));
  for (const group of user.groups)
    if (!group.startsWith(RESERVED)) headers.push('Impersonate-Group', prefix + fit(group));
  for (const [key, values] of Object.entries(user.extra))
    for (const value of values) headers.push(`Impersonate-Extra-${escapeKey(key)}`, fit(value));
  return headers;
}

/** Headers hold bytes: UTF-8 goes out as its bytes. */
function fit(text: string): string {
  if (UNFIT.test(text))
    throw failure('Forbidden', 'the user name in the token cannot be forwarded to the cluster');
  return /[^\x20-\x7e]/.test(text) ? Buffer.from(text).toString('latin1') : text;
}

/** Keys of extras are escaped as in paths (`k8s.io/client-go/transport`, `headerKeyEscape`). */
const escapeKey = (key: string): string =>
  key.toLowerCase().replace(UNESCAPED, (character) => encodeURIComponent(character));
