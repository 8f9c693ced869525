/** What the caller may read of what grants rights. */
import type {
  ResourceAccessReview,
  RightsSource,
} from '../../../api/management.svc.example/v1/resourceaccessreview.js';
import type { ResourceAttributes } from '../../apimachinery/attributes.js';
import type { ManagementAnswerContext } from '../services.js';

const GROUP = 'management.svc.example';
const RBAC = 'rbac.authorization.k8s.io';
const BLANK = { group: '', subresource: '', namespace: '', name: '' };

export interface Sources {
  readonly readable: Set<RightsSource>;
  readonly unread: Set<RightsSource>;
}

export const isAllowed = async (
  { user, services }: ManagementAnswerContext,
  request: ResourceAttributes,
): Promise<boolean> => (await services.authorize(user, request)).allowed;

/** As the server authorizes it: whom one acts as is in the core group, and a namespace is in itself. */
export function requestOf(spec: ResourceAccessReview['spec']): ResourceAttributes {
  const asked = { kind: 'resource' as const, version: 'v1', ...BLANK, ...spec };
  if (asked.verb === 'impersonate' && asked.resource === 'users') return { ...asked, group: '' };
  return asked.group === '' && asked.resource === 'namespaces' ? { ...asked, namespace: asked.name } : asked;
}

type Reading = [RightsSource, ResourceAttributes];

/** What may grant rights to this, but teams, each with the request that reads it. */
export function* sourcesOf(asked: ResourceAttributes): Generator<Reading> {
  const { group, namespace, name } = asked;
  if (group === GROUP && name !== '') yield ['object', { ...asked, verb: 'get', subresource: '' }];
  yield* roleSources(namespace);
}

/** Roles and bindings that grant rights in a namespace; `''`: at the cluster scope. */
export function* roleSources(namespace: string): Generator<Reading> {
  const listing = (resource: RightsSource, at: string): Reading => [
    resource,
    requestOf({ verb: 'list', group: RBAC, resource, namespace: at }),
  ];
  if (namespace !== '') yield* [listing('rolebindings', namespace), listing('roles', namespace)];
  yield* [listing('clusterrolebindings', ''), listing('clusterroles', '')];
}

export async function readableSources(
  context: ManagementAnswerContext,
  readings: Iterable<Reading>,
): Promise<Sources> {
  const sources: Sources = { readable: new Set(), unread: new Set() };
  for (const [source, reading] of readings)
    ((await isAllowed(context, reading)) ? sources.readable : sources.unread).add(source);
  return sources;
}
