/** The usage of a project's quotas that a write adds. */
import type { Quotas } from '../../../api/management.svc.example/v1/quotas.js';
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { groupResource } from '../../apimachinery/errors.js';
import type { ProjectUsage } from './usage.js';
import { isSecretKind, secretBytes } from '../sharing/secretkinds.js';

const GROUP = 'management.svc.example';
const INSTANCES = ['spaceinstances', 'virtualclusterinstances'].map((plural) => ({ group: GROUP, plural }));

/** Additional usage of a limited resource. */
export interface Demand {
  /** The name in errors: `instances`. */
  readonly what: string;
  readonly asked: number;
  readonly limit: number;
  used(usage: ProjectUsage, namespace: string): number;
}

/** Only increases count. */
export function demandsOf(
  definition: ResourceDefinition,
  object: KubeObject,
  previous: KubeObject | undefined,
  { objects = {}, instances, secretBytes: bytes }: Quotas,
): Demand[] {
  const demands: Demand[] = [];
  const { group, plural } = definition;
  const resource = groupResource(definition);
  const limit = Object.hasOwn(objects, resource) ? objects[resource] : undefined;
  if (previous === undefined && limit !== undefined) {
    const used: Demand['used'] = (usage, namespace) => usage.count(namespace, definition);
    demands.push({ what: resource, asked: 1, limit, used });
  }
  const isInstance = INSTANCES.some((one) => one.group === group && one.plural === plural);
  if (previous === undefined && instances !== undefined && isInstance) {
    const used: Demand['used'] = (usage, namespace) =>
      INSTANCES.reduce((sum, one) => sum + usage.count(namespace, one), 0);
    demands.push({ what: 'instances', asked: 1, limit: instances, used });
  }
  if (bytes !== undefined && isSecretKind(definition)) {
    const before = previous === undefined ? 0 : secretBytes(definition, previous);
    const asked = secretBytes(definition, object) - before;
    const used: Demand['used'] = (usage, namespace) => usage.secretBytes(namespace);
    if (asked > 0) demands.push({ what: 'secretBytes', asked, limit: bytes, used });
  }
  return demands;
}
