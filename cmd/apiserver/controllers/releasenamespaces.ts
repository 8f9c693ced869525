/**
 * Removes owner references of projects' namespaces, so that the host's garbage collector leaves them alone.
 */
import { withoutProjectOwners } from '../../../pkg/management/projects/released.js';
import { PROJECT_LABEL } from '../../../pkg/management/projects/names.js';
import type { KubeObject } from '../../../api/resource.js';
import { isObject, textIn } from '../../../pkg/apimachinery/encoding/members.js';
import type { HostClient } from '../../../pkg/hostclient/interface.js';

const PAGE = 500;
const NAMESPACES = '/api/v1/namespaces';

/**
 * Removes what earlier releases wrote: a Project as the owner of its namespace, for which the host deletes
 * the namespace when this server does not return that Project. Rejects if the host refuses.
 */
export async function releaseNamespaces({ send }: HostClient): Promise<void> {
  const selector = encodeURIComponent(PROJECT_LABEL);
  let next = '';
  do {
    const query = `?labelSelector=${selector}&limit=${PAGE}&continue=${encodeURIComponent(next)}`;
    const { status, body } = await send({ method: 'GET', path: NAMESPACES + query });
    if (status !== 200) throw new Error(`the namespaces of projects cannot be listed: status ${status}`);
    if (!isList(body)) throw new Error('the namespaces of projects cannot be listed: the answer is no list');
    for (const namespace of body.items) await release(send, namespace);
    next = textIn(body.metadata, 'continue') ?? '';
  } while (next !== '');
}

interface List {
  readonly items: readonly KubeObject[];
  readonly metadata?: unknown;
}

const isList = (body: unknown): body is List => isObject(body) && Array.isArray(body.items);

async function release(send: HostClient['send'], namespace: KubeObject): Promise<void> {
  const released = withoutProjectOwners(namespace);
  if (released === undefined) return;
  const { name = '', uid, resourceVersion, annotations = {}, ownerReferences = [] } = released.metadata;
  const body = { metadata: { uid, resourceVersion, annotations, ownerReferences } };
  const path = `${NAMESPACES}/${encodeURIComponent(name)}?fieldManager=management-apiserver`;
  const contentType = 'application/merge-patch+json';
  const { status } = await send({ method: 'PATCH', path, body, contentType });
  // After a conflict the namespace is right already, or the next attempt handles it.
  if (status === 200 || status === 404) return;
  throw new Error(`namespace ${name} still has its Project as an owner: status ${status}`);
}
