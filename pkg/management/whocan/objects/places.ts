/** The objects that are asked about, in order, and where an answer ends. */
import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import { ProjectSecret } from '../../../../api/management.svc.example/v1/projectsecret.js';
import { SharedSecret } from '../../../../api/management.svc.example/v1/sharedsecret.js';
import { SpaceInstance } from '../../../../api/management.svc.example/v1/spaceinstance.js';
import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { ObjectKey, ResourceDefinition } from '../../../../api/resource.js';
import { objectPath } from '../../../registry/keys.js';
import type { ManagementAnswerContext } from '../../services.js';

const KINDS: readonly ResourceDefinition[] = [
  Project,
  SharedSecret,
  ProjectSecret,
  SpaceInstance,
  VirtualClusterInstance,
  Cluster,
  OwnedAccessKey,
];

export interface Place {
  readonly definition: ResourceDefinition;
  readonly key: ObjectKey;
}

/** The token of an answer that ends before this place. */
export const tokenOf = ({ definition, key }: Place): string =>
  Buffer.from(`${definition.plural}/${objectPath(definition, key)}`).toString('base64url');

/** The objects that the caller sees, from a token on; `''`: all. Undefined: no answer has such a token. */
export function placesFrom(context: ManagementAnswerContext, token: string): Iterable<Place> | undefined {
  const [plural = '', ...path] = Buffer.from(token, 'base64url').toString().split('/');
  const first = token === '' ? 0 : KINDS.findIndex((kind) => kind.plural === plural);
  return first < 0 ? undefined : seenPlaces(context, KINDS.slice(first), path.join('/'));
}

function* seenPlaces(
  { user, services }: ManagementAnswerContext,
  kinds: readonly ResourceDefinition[],
  start: string,
): Generator<Place> {
  for (const [at, definition] of kinds.entries())
    for (const key of services.seenBy(user, definition, at === 0 ? start : '')) yield { definition, key };
}
