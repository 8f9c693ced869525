/** Users that Kubernetes names by what they are. */
import { dns1123Label, dns1123Subdomain } from '../../../apimachinery/validation/names.js';

const SERVICE_ACCOUNT = 'system:serviceaccount:';
const NODE = 'system:node:';

/** Of `system:serviceaccount:<namespace>:<name>`; undefined for other users. */
export function serviceAccountOf(
  user: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace = '', name = '', ...rest] = user.slice(SERVICE_ACCOUNT.length).split(':');
  if (rest.length > 0 || dns1123Label(namespace).length > 0 || dns1123Subdomain(name).length > 0)
    return undefined;
  return { namespace, name };
}

/** The node of `system:node:<node>`; undefined for other users. */
export function nodeOf(user: string): string | undefined {
  if (!user.startsWith(NODE)) return undefined;
  const name = user.slice(NODE.length);
  return dns1123Subdomain(name).length === 0 ? name : undefined;
}
