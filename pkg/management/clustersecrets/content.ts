/** The data of Secrets by type (`k8s.io/kubernetes/pkg/apis/core/validation`: ValidateSecret). */
import { parseJson } from '../../apimachinery/encoding/depth.js';
import { isObject } from '../../apimachinery/encoding/members.js';
import type { KeyMapping } from './secretrequest.js';

type Data = Readonly<Record<string, string>>;

export type Content = { readonly data: Data } | { readonly why: string };

/** The maximum bytes of all values, as in Kubernetes. */
const MAX_BYTES = 1024 * 1024;
const EMPTY_JSON = Buffer.from('{}').toString('base64');
const NEWLINE = Buffer.from('\n').toString('base64');

/** By type: the minimum that the API server accepts. Values in base64. */
const LEAST: Readonly<Record<string, Data>> = {
  'kubernetes.io/tls': { 'tls.crt': '', 'tls.key': '' },
  'kubernetes.io/dockerconfigjson': { '.dockerconfigjson': EMPTY_JSON },
  'kubernetes.io/dockercfg': { '.dockercfg': EMPTY_JSON },
  'kubernetes.io/basic-auth': { username: '', password: '' },
  'kubernetes.io/ssh-auth': { 'ssh-privatekey': NEWLINE },
};
const JSON_KEYS = ['.dockerconfigjson', '.dockercfg'];
/** Types that a controller of the cluster writes, or whose Secrets are credentials for it. */
const REFUSED = ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'];

/** The data of a Secret without its source. */
export const emptyData = (type: string): Data => LEAST[type] ?? {};

/** Why Secrets of a type are not filled; undefined: they are. */
export function refusedType(type: string): string | undefined {
  return REFUSED.includes(type) ? `a Secret of type ${type} is not filled` : undefined;
}

/** `source`: values in base64. Messages name keys and never values. */
export function contentFor(type: string, source: Data, keys: KeyMapping): Content {
  const data: Record<string, string> = {};
  if (keys === undefined) Object.assign(data, source);
  else
    for (const [to, from] of keys) {
      if (!Object.hasOwn(source, from)) return { why: `the source has no key "${from}"` };
      data[to] = source[from] ?? '';
    }
  const bytes = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
  if (bytes > MAX_BYTES) return { why: 'the data are more than 1 MiB' };
  for (const key of requiredKeys(type)) {
    if (!Object.hasOwn(data, key)) return { why: `type ${type} requires the key "${key}"` };
    if (JSON_KEYS.includes(key) && !isJsonObject(data[key] ?? ''))
      return { why: `type ${type} requires a JSON object under the key "${key}"` };
  }
  return { data };
}

function requiredKeys(type: string): string[] {
  // One of the two is sufficient, and the API server checks that itself.
  return type === 'kubernetes.io/basic-auth' ? [] : Object.keys(LEAST[type] ?? {});
}

function isJsonObject(value: string): boolean {
  try {
    return isObject(parseJson(Buffer.from(value, 'base64').toString('utf8')));
  } catch {
    return false;
  }
}
