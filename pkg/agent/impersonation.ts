/** Impersonation headers for the API server of a cluster, with names that no other user has. */
import { failure } from '../apimachinery/errors.js';
import type { User } from '../authentication/interface.js';

/** Groups that API servers reserve. They add the group of authenticated users themselves. */
const RESERVED = 'system:';
/** Characters that headers cannot contain or lose on the way, which would change names. */
const UNFIT = /[\u0000-\u001f\u007f]|^\s|\s$|^$/u;
/** Characters other than HTTP tokens in lower case; `%` escapes (RFC 9110, 5.6.2). */
const UNESCAPED = /[^a-z0-9!#$&'*+.^_`|~-]/g;

/**
 * Headers; names and values alternate. `prefix` is prepended to the names of the user and of each group, as
 * by an API server that verifies the tokens itself. Throws StatusError 403 for names that cannot be sent.
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

/** Headers contain bytes: text is sent as UTF-8. */
function fit(text: string): string {
  if (UNFIT.test(text))
    throw failure('Forbidden', 'the user name in the token cannot be forwarded to the cluster');
  return /[^\x20-\x7e]/.test(text) ? Buffer.from(text).toString('latin1') : text;
}

/** Keys of extras are escaped as in paths (`k8s.io/client-go/transport`, `headerKeyEscape`). */
const escapeKey = (key: string): string =>
  key.toLowerCase().replace(UNESCAPED, (character) => encodeURIComponent(character));
