/** Extra values that can be impersonated in the mode `user-info` (`validateExtra` in `k8s.io/apiserver`). */
import { aggregate, fieldInvalid, quote, type FieldError } from '../../../apimachinery/errors.js';
import { dns1123Subdomain } from '../../../apimachinery/validation/names.js';
import type { Wanted } from './wanted.js';

/** Why they cannot be; undefined: they can. */
export function extraProblem(extra: Wanted['extra']): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const errors = domainPrefixedPath('extra.key', key);
    if (errors.length > 0)
      return `impersonating an invalid key in extra is not allowed: ${aggregate(errors)}`;
    if (key !== key.toLowerCase())
      return `impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`;
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const WHOLE_PATH = new RegExp(`^${PATH}$`);

/** `IsDomainPrefixedPath` in `k8s.io/apimachinery/pkg/util/validation`. */
function domainPrefixedPath(field: string, value: string): FieldError[] {
  const slash = value.indexOf('/');
  const [host, path] = [value.slice(0, slash), value.slice(slash + 1)];
  if (slash < 1 || path === '')
    return [fieldInvalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const errors = dns1123Subdomain(host).map((problem) => fieldInvalid(field, host, problem));
  if (WHOLE_PATH.test(path)) return errors;
  return [fieldInvalid(field, path, `Invalid path (regex used for validation is '${PATH}')`)];
}
