/** From an authorized request to the function of its verb. */
import { failure, methodNotAllowed, unknownResource } from '../apimachinery/errors.js';
import { MEDIA_TYPE } from '../apimachinery/negotiation.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import { findUndecryptable } from '../registry/generic/undecryptable.js';
import { forKind, type RequestContext, type StoredKindRequest } from './requestcontext.js';
import type { DispatchDependencies } from './dependencies.js';
import { serveDelete, serveDeleteCollection } from './handlers/delete.js';
import { checkPathNames } from './pathnames.js';
import { serveGet, serveList } from './handlers/read.js';
import type { Authorized, ResourceRequest } from './requestinfo.js';
import { serveRequest } from './handlers/virtualresource.js';
import { serveWatch } from './watch/watch.js';
import { serveCreate, servePatch, serveUpdate } from './handlers/write.js';

const ROUTE_TYPES: readonly string[] = Object.values(MEDIA_TYPE);
const STREAM_TYPES = [MEDIA_TYPE.json, MEDIA_TYPE.protobuf].map((type) => `${type};stream=watch`);

/** Throws StatusError 404 for unknown resources, 405 for a method that a path does not have. */
export async function dispatch(
  dependencies: DispatchDependencies,
  call: RequestContext,
  info: Authorized<ResourceRequest>,
): Promise<void> {
  const request = dependencies.stores.findRequest(info);
  if (request !== undefined) {
    checkRoute(info, call.exchange.request.headers.accept);
    return serveRequest(forKind(call, info, request), dependencies);
  }
  const store = dependencies.stores.find(info);
  if (store === undefined) throw unknownResource();
  if (store.definition.namespaced && info.namespace === '' && info.name !== '') throw unknownResource();
  if (!store.definition.namespaced && info.namespace !== '' && !isOwnNamespace(info)) throw unknownResource();
  checkPathNames(info);
  checkVerb(store, info);
  if (store.definition.builtIn) checkRoute(info, call.exchange.request.headers.accept);
  await serve(dependencies, forKind(call, addressed(store, info), store));
}

/**
 * Rights in a namespace include its own Namespace object, and no other: paths such as `namespaces/a/namespaces/b`
 * would be authorized in one and serve the other.
 */
const isOwnNamespace = ({ group, resource, namespace, name }: ResourceRequest): boolean =>
  group === '' && resource === 'namespaces' && name === namespace;

/** A namespace object lies in no namespace, though requests name it as theirs. */
function addressed(store: ResourceStore, info: Authorized<ResourceRequest>): Authorized<ResourceRequest> {
  return store.definition.namespaced || info.namespace === '' ? info : { ...info, namespace: '' };
}

function checkVerb(store: ResourceStore, info: ResourceRequest): void {
  const { definition } = store;
  if (info.subresource !== '') {
    const subresource = definition.subresources.find(({ name }) => name === info.subresource);
    if (subresource === undefined) throw unknownResource();
    if (!subresource.verbs.includes(info.verb)) throw methodNotAllowed();
    return;
  }
  const clusterWide = definition.namespaced && info.namespace === '';
  if (clusterWide && info.verb !== 'list' && info.verb !== 'watch') throw methodNotAllowed();
  if (info.name !== '' && (info.verb === 'create' || info.verb === 'list')) throw methodNotAllowed();
  if (info.name === '' && (info.verb === 'update' || info.verb === 'patch')) throw methodNotAllowed();
  if (!definition.verbs.includes(info.verb) && !deletesUnreadable(store, info)) throw methodNotAllowed();
}

/** Unreadable records of any kind can be deleted: otherwise those of read-only kinds would stay forever. */
const deletesUnreadable = (store: ResourceStore, { verb, namespace, name }: ResourceRequest): boolean =>
  verb === 'delete' && name !== '' && findUndecryptable(store, { namespace, name }) !== undefined;

/**
 * The routes of Kubernetes' own kinds match media types by their full names, and of ranges only that of all types. The
 * error of lists also names the streaming types of watches.
 */
function checkRoute({ verb }: ResourceRequest, accept: string | undefined): void {
  if (accept === undefined || accept === '') return;
  const named = accept.split(',').map((clause) => clause.split(';', 1)[0]?.trim());
  if (named.some((type) => type === '*/*' || ROUTE_TYPES.some((offered) => offered === type))) return;
  const listed = verb === 'list' || verb === 'watch' ? [...ROUTE_TYPES, ...STREAM_TYPES] : ROUTE_TYPES;
  const message = `406: Not Acceptable\n\nAvailable representations: ${listed.join(', ')}`;
  throw failure('NotAcceptable', message, {});
}

async function serve(dependencies: DispatchDependencies, call: StoredKindRequest): Promise<void> {
  switch (call.info.verb) {
    case 'get':
      return serveGet(call);
    case 'list':
      return serveList(call, dependencies.blocks);
    case 'watch':
      return serveWatch(call, dependencies.watches);
    case 'create':
      return serveCreate(call, dependencies.stores.definitions);
    case 'update':
      return serveUpdate(call, dependencies.stores.definitions, dependencies.authorizer);
    case 'patch':
      return servePatch(call, dependencies.stores.definitions, dependencies.authorizer);
    case 'delete':
      return serveDelete(call, dependencies);
    case 'deletecollection':
      return serveDeleteCollection(call, dependencies);
    case 'unknown':
      throw methodNotAllowed();
  }
}
