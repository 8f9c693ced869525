/** Fields that limit the owner of an object: the owner may tighten them, and needs another right to loosen them. */
import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { OwnedAccessKey as KeyKind } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Project as ProjectKind, type Project } from '../../../api/management.svc.example/v1/project.js';
import type { Quotas } from '../../../api/management.svc.example/v1/projectusage.js';
import { asKind, type KubeObject, type ResourceDefinition } from '../../../api/resource.js';
import { keyHolder, preserveOwner } from '../accesskeys/owner.js';
import { DEFAULT_MAX_KEY_DAYS, maxKeyDays } from '../projects/keydays.js';
import { DISABLED_BY_ANNOTATION } from '../accesskeys/names.js';

/** A verb on an object at the cluster scope; `name` is `''` for all objects of the kind. */
interface LimitRight {
  readonly verb: 'update' | 'use';
  readonly kind: Pick<ResourceDefinition, 'group' | 'version' | 'plural'>;
  readonly subresource: string;
  readonly name: string;
}

/** A write of an object with such a field. */
interface LimitedWrite {
  readonly next: KubeObject;
  /** Undefined for a create. */
  readonly previous: KubeObject | undefined;
  /** The user name of the writer. */
  readonly writer: string;
}

export interface OwnerLimit {
  readonly kind: string;
  readonly path: string;
  /** The rule, for error messages: what loosens the limit, and the required right. */
  readonly rule: string;
  /** The rights that a write requires, as it loosens the limit. */
  needed(write: LimitedWrite): readonly LimitRight[];
}

/**
 * All such fields. Other limits of owners are not listed: `clusterRef` of an instance and `tokenGeneration` of a User
 * cannot be loosened (validation); roles of members and `extraAccessRules` (`bind`) and the identity of a key
 * (`impersonate`) have rules of their own.
 */
export const OWNER_LIMITS: readonly OwnerLimit[] = [
  {
    kind: 'Project',
    path: 'spec.allowedClusters',
    rule: 'a new entry requires use on that Cluster, * on all Clusters',
    needed: ({ next, previous }) => addedClusters(asKind(ProjectKind, next), asKind(ProjectKind, previous)),
  },
  {
    kind: 'Project',
    path: 'spec.quotas',
    rule: 'raising or removing a limit requires update on projects/quotas',
    needed: ({ next, previous }) =>
      previous !== undefined &&
      loosens(asKind(ProjectKind, next).spec?.quotas, asKind(ProjectKind, previous).spec?.quotas)
        ? [{ verb: 'update', kind: ProjectKind, subresource: 'quotas', name: next.metadata.name ?? '' }]
        : [],
  },
  {
    kind: 'Project',
    path: 'spec.maxKeyDays',
    rule: `raising it, or more than ${DEFAULT_MAX_KEY_DAYS} days for a new project, requires update on projects/quotas`,
    needed: ({ next, previous }) =>
      maxKeyDays(asKind(ProjectKind, next)) > maxKeyDays(asKind(ProjectKind, previous) ?? {})
        ? [{ verb: 'update', kind: ProjectKind, subresource: 'quotas', name: next.metadata.name ?? '' }]
        : [],
  },
  {
    kind: 'OwnedAccessKey',
    path: 'spec.disabled',
    rule: "enabling one's own key that another user disabled requires update on ownedaccesskeys/disabled",
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

/** A project that may use all clusters gains nothing from another name. */
function addedClusters(next: Project, previous: Project | undefined): LimitRight[] {
  const before = clustersOf(previous);
  if (before.has(ALL)) return [];
  return [...clustersOf(next)]
    .filter((name) => !before.has(name))
    .map((name) => ({ verb: 'use', kind: Cluster, subresource: '', name: name === ALL ? '' : name }));
}

/** Whether a limit is higher than before, or removed. */
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

/** Whether requests with the key have this user name. */
const isKeyOf = (key: KubeObject | undefined, name: string): boolean => holderOf(key) === name;

/** The user name of requests with the key. `previous`: the key before an update that may omit its owner. */
export function holderOf(key: KubeObject | undefined, previous?: KubeObject): string {
  const [next, before] = [asKind(KeyKind, key), asKind(KeyKind, previous)];
  return keyHolder({ metadata: next?.metadata ?? {}, spec: preserveOwner(next?.spec, before?.spec) });
}
