/** The fields that limit the owner of an object: who owns it may tighten them, and loosens them with a right of another kind. */
import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { OwnedAccessKey as KeyKind } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Project } from '../../../api/management.svc.example/v1/project.js';
import { Project as ProjectKind } from '../../../api/management.svc.example/v1/project.js';
import type { Quotas } from '../../../api/management.svc.example/v1/quotas.js';
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { asKind } from '../../../api/resource.js';
import { preserveOwner } from '../../registry/management/ownedaccesskey/owner.js';
import { TEAM_GROUP } from '../../management/access/rights.js';
import { DISABLED_BY_ANNOTATION } from '../../apimachinery/accesskeynames.js';

/** A verb on an object at the cluster scope; `name` is `''` for all objects of the kind. */
export interface LimitRight {
  readonly verb: 'update' | 'use';
  readonly kind: Pick<ResourceDefinition, 'group' | 'version' | 'plural'>;
  readonly subresource: string;
  readonly name: string;
}

/** A write of an object that has the field. */
export interface LimitedWrite {
  readonly next: KubeObject;
  /** Undefined of a create. */
  readonly previous: KubeObject | undefined;
  /** The name of who writes. */
  readonly writer: string;
}

export interface OwnerLimit {
  readonly kind: string;
  readonly path: string;
  /** What loosens it, and the right that it takes, for people. */
  readonly rule: string;
  /** The rights that a write takes by what it loosens. */
  needed(write: LimitedWrite): readonly LimitRight[];
}

/**
 * Every such field. Others that bound an owner are not here because nobody loosens them at all: `clusterRef` of an instance
 * and `tokenGeneration` of a User (validation); or because they have rules of their own: roles of members and
 * `extraAccessRules` (`bind`), what a key acts as (`impersonate`).
 */
export const OWNER_LIMITS: readonly OwnerLimit[] = [
  {
    kind: 'Project',
    path: 'spec.allowedClusters',
    rule: 'a new entry takes use on that Cluster, * on all Clusters',
    needed: ({ next, previous }) => addedClusters(asKind(ProjectKind, next), asKind(ProjectKind, previous)),
  },
  {
    kind: 'Project',
    path: 'spec.quotas',
    rule: 'a higher limit, or one that is taken away, takes update on projects/quotas',
    needed: ({ next, previous }) =>
      previous !== undefined &&
      loosens(asKind(ProjectKind, next).spec?.quotas, asKind(ProjectKind, previous).spec?.quotas)
        ? [{ verb: 'update', kind: ProjectKind, subresource: 'quotas', name: next.metadata.name ?? '' }]
        : [],
  },
  {
    kind: 'OwnedAccessKey',
    path: 'spec.disabled',
    rule: "enabling one's own key that another disabled takes update on ownedaccesskeys/disabled",
    needed: ({ next, previous, writer }) => {
      const enables = isDisabled(previous) && !isDisabled(next);
      if (!enables || !isKeyOf(previous, writer)) return [];
      const by = previous?.metadata.annotations?.[DISABLED_BY_ANNOTATION] ?? writer;
      if (by === writer) return [];
      return [{ verb: 'update', kind: KeyKind, subresource: 'disabled', name: next.metadata.name ?? '' }];
    },
  },
];

const ALL = '*';

const clustersOf = (project: Project | undefined): ReadonlySet<string> =>
  new Set((project?.spec?.allowedClusters ?? []).map(({ name = '' }) => name));

/** A project that may use all clusters is given nothing by the name of one. */
function addedClusters(next: Project, previous: Project | undefined): LimitRight[] {
  const before = clustersOf(previous);
  if (before.has(ALL)) return [];
  return [...clustersOf(next)]
    .filter((name) => !before.has(name))
    .map((name) => ({ verb: 'use', kind: Cluster, subresource: '', name: name === ALL ? '' : name }));
}

/** Whether one of the limits is higher than before, or gone. */
function loosens(next: Quotas = {}, previous: Quotas = {}): boolean {
  const higher = (now: number | undefined, before: number | undefined): boolean =>
    before !== undefined && (now === undefined || now > before);
  const limitOf = (objects: Quotas['objects'], resource: string): number | undefined =>
    objects !== undefined && Object.hasOwn(objects, resource) ? objects[resource] : undefined;
  return (
    higher(next.instances, previous.instances) ||
    higher(next.secretBytes, previous.secretBytes) ||
    Object.keys(previous.objects ?? {}).some((resource) =>
      higher(limitOf(next.objects, resource), limitOf(previous.objects, resource)),
    )
  );
}

export const isDisabled = (key: KubeObject | undefined): boolean =>
  asKind(KeyKind, key)?.spec?.disabled === true;

/** Whether requests with the key are made by this user. */
const isKeyOf = (key: KubeObject | undefined, name: string): boolean => holderOf(key) === name;

/** The name of the user that requests with the key are made by. `previous`: the key before an update that may leave its owner out. */
export function holderOf(key: KubeObject | undefined, previous?: KubeObject): string {
  const [next, before] = [asKind(KeyKind, key), asKind(KeyKind, previous)];
  const { user = '', team = '', subject = '' } = preserveOwner(next?.spec, before?.spec);
  return user || (team === '' ? subject : TEAM_GROUP + team);
}
