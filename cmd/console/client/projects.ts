/** Projects and their content. */
import type { Condition } from '../../../api/meta/v1/condition.js';
import type { Project } from '../../../api/management.svc.example/v1/project.js';
import type { ProjectMembers } from '../../../api/management.svc.example/v1/projectmembers.js';
import type { ProjectUsage } from '../../../api/management.svc.example/v1/projectusage.js';
import { objects, type Form } from './forms.js';
import { pathOf } from './paths.js';
import { send } from './request.js';
import { namedView, type NamedView } from './views.js';

type Spec = NonNullable<Project['spec']>;

/** One role of a member, as an entry of the project's spec. */
export type ProjectMember = NonNullable<Spec['members']>[number];

export interface ProjectView extends NamedView {
  readonly owner: NonNullable<Spec['owner']>;
  readonly quotas: NonNullable<Spec['quotas']>;
  readonly members: readonly ProjectMember[];
  readonly clusters: readonly string[];
  /** The longest life of a new access key, in days; 0: there are none; undefined: the server's default. */
  readonly maxKeyDays: number | undefined;
  readonly conditions: readonly Condition[];
}

export const PROJECTS = 'projects';
const GROUP = 'management.svc.example';
export const projectForm = (): Form<ProjectView> => objects(projectViewOf);

export function projectViewOf(object: Project): ProjectView {
  const { spec = {}, status = {} } = object;
  return {
    ...namedView(object),
    owner: spec.owner ?? {},
    quotas: spec.quotas ?? {},
    members: spec.members ?? [],
    clusters: (spec.allowedClusters ?? []).map(({ name = '' }) => name),
    maxKeyDays: spec.maxKeyDays,
    conditions: status.conditions ?? [],
  };
}

export type Member = NonNullable<ProjectMembers['members']>[number];

export const readMembers = async (project: string, signal: AbortSignal): Promise<readonly Member[]> =>
  (await send<ProjectMembers>('GET', `${pathOf(PROJECTS, '', project)}/members`, { signal })).members ?? [];

interface Self {
  readonly status?: { readonly projectNamespacePrefix?: string };
}

let prefix: Promise<string> | undefined;

/** The prefix of the namespaces of projects, which is set on the server. */
export function namespacePrefix(): Promise<string> {
  prefix ??= send<Self>('POST', pathOf('selves'), {
    body: { kind: 'Self', apiVersion: 'management.svc.example/v1' },
  }).then(({ status }) => status?.projectNamespacePrefix ?? '');
  prefix.catch(() => (prefix = undefined));
  return prefix;
}

/** A limit of a project, and its current use. */
export interface Usage {
  /** `instances`, `secretBytes`, or a resource. */
  readonly name: string;
  /** Undefined: not known yet, or not to this user. */
  readonly used: number | undefined;
  readonly most: number;
}

type Counts = Readonly<Record<string, number>>;

export type UsedQuota = NonNullable<ProjectUsage['usage']>[number];

export const readUsage = async (project: string, signal: AbortSignal): Promise<readonly UsedQuota[]> =>
  (await send<ProjectUsage>('GET', `${pathOf(PROJECTS, '', project)}/usage`, { signal })).usage ?? [];

/**
 * The use of each limit by its name: as the server tells it for limits that there are, and for others as the console
 * counts objects. `counts`: by resource.
 */
export const usedBy = (counts: Counts, told: readonly UsedQuota[]): Counts => ({
  instances: (counts.spaceinstances ?? 0) + (counts.virtualclusterinstances ?? 0),
  ...Object.fromEntries(Object.entries(counts).map(([resource, count]) => [`${resource}.${GROUP}`, count])),
  ...Object.fromEntries(told.map(({ name = '', used = 0 }) => [name, used])),
});

export function usageOf({ quotas }: Pick<ProjectView, 'quotas'>, used: Counts): Usage[] {
  const { objects = {}, ...others } = quotas;
  const limits = Object.entries({ ...others, ...objects });
  return limits.map(([name, most]) => ({ name, used: used[name], most }));
}
