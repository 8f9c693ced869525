/** Resolves paths that name an object without its namespace, if the caller may access one of that name. */
import { badRequest, notFound } from '../../apimachinery/errors.js';
import type { User } from '../../authentication/interface.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { Entry } from '../../cache/interface.js';
import type { AuditRecord } from './auditrecord.js';
import type { RequestInfo, ResourceRequest } from '../requestinfo.js';
import type { ResourceStores } from '../resources.js';

/** Maximum number of namespaces in a message. */
const MAX_NAMED = 10;

/** The request, with the namespace if it had none. Throws StatusError 400 for several candidates, 404 for none. */
export function resolve(
  parts: ResolveParts,
  user: User,
  info: RequestInfo,
  record?: Pick<AuditRecord, 'annotated'>,
): RequestInfo | Promise<RequestInfo> {
  if (info.kind === 'path' || info.verb !== 'get' || info.namespace !== '' || info.subresource === '')
    return info;
  return resolveNamed(parts, user, info, record);
}

interface ResolveParts {
  readonly stores: ResourceStores;
  readonly authorizer: Authorizer;
}

async function resolveNamed(
  { stores, authorizer }: ResolveParts,
  user: User,
  info: ResourceRequest,
  record: Pick<AuditRecord, 'annotated'> | undefined,
): Promise<RequestInfo> {
  const readBy = stores.findRequest(info)?.readBy;
  const store = stores.find(info);
  if (readBy === undefined || store?.definition.namespaced !== true) return info;
  const namespaces: string[] = [];
  for (const { namespace } of named(store.cache.latest(), info.name)) {
    const reached = { ...info, namespace };
    const mayUse = { ...reached, verb: readBy.verb, subresource: '' };
    if (!(await authorizer.authorize(user, reached)).allowed) continue;
    if ((await authorizer.authorize(user, mayUse)).allowed) namespaces.push(namespace);
  }
  const [only, ...others] = namespaces;
  if (only === undefined) throw notFound(store.definition, info.name);
  if (others.length > 0) throw several(info, namespaces);
  record?.annotated('management.svc.example/namespace', only);
  return { ...info, namespace: only };
}

function several({ resource, name, subresource }: ResourceRequest, namespaces: readonly string[]): Error {
  const shown = namespaces.slice(0, MAX_NAMED).map((namespace) => `"${namespace}"`);
  if (namespaces.length > shown.length) shown.push(`${namespaces.length - shown.length} others`);
  return badRequest(
    `${resource} "${name}" is in the namespaces ${shown.join(', ')}: name one, as in namespaces/${namespaces[0] ?? ''}/${resource}/${name}/${subresource}`,
  );
}

/** By an index if it exists. */
function named(snapshot: ReturnType<SnapshotOf>, name: string): Entry[] {
  const found = snapshot.select({ by: 'field', name: 'metadata.name' }, name) ?? snapshot;
  return [...found.entries('')].filter((entry) => entry.name === name);
}

type SnapshotOf = NonNullable<ReturnType<ResourceStores['find']>>['cache']['latest'];
