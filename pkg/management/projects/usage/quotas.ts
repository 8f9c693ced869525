/** The quotas of a project: what each counts, and what a write adds to it. */
import type { Quotas } from '../../../../api/management.svc.example/v1/projectusage.js';
import type { KubeObject, ResourceDefinition } from '../../../../api/resource.js';
import type { ProjectUsage } from './usage.js';
import { isSecretKind, secretBytes } from '../../sharing/secretkinds.js';

type Resource = Pick<ResourceDefinition, 'group' | 'plural'>;

const GROUP = 'management.svc.example';
const INSTANCES: readonly Resource[] = ['spaceinstances', 'virtualclusterinstances'].map((plural) => ({
  group: GROUP,
  plural,
}));

/** A limit of a project. */
export interface Quota {
  /** `instances`, `secretBytes`, or a resource. */
  readonly name: string;
  readonly hard: number;
  used(usage: ProjectUsage, namespace: string): number;
  /** What a write adds. Only increases count. */
  added(definition: ResourceDefinition, object: KubeObject, previous: KubeObject | undefined): number;
}

export const quotasOf = ({ objects = {}, instances, secretBytes: bytes }: Quotas): Quota[] => [
  ...(instances === undefined ? [] : [countOf('instances', instances, INSTANCES)]),
  ...(bytes === undefined ? [] : [bytesOf(bytes)]),
  ...Object.entries(objects).map(([name, hard]) => countOf(name, hard, [resourceNamed(name)])),
];

function countOf(name: string, hard: number, counted: readonly Resource[]): Quota {
  const counts = ({ group, plural }: Resource): boolean =>
    counted.some((one) => one.group === group && one.plural === plural);
  return {
    name,
    hard,
    used: (usage, namespace) => counted.reduce((sum, one) => sum + usage.count(namespace, one), 0),
    added: (definition, _object, previous) => (previous === undefined && counts(definition) ? 1 : 0),
  };
}

const bytesOf = (hard: number): Quota => ({
  name: 'secretBytes',
  hard,
  used: (usage, namespace) => usage.secretBytes(namespace),
  added(definition, object, previous) {
    if (!isSecretKind(definition)) return 0;
    const before = previous === undefined ? 0 : secretBytes(definition, previous);
    return Math.max(0, secretBytes(definition, object) - before);
  },
});

/** `configmaps`, or `sharedsecrets.management.svc.example`. */
function resourceNamed(name: string): Resource {
  const [plural = '', ...group] = name.split('.');
  return { group: group.join('.'), plural };
}
