/** Projects, and what is in them. */
import type { Condition } from '../../../api/meta/v1/condition.js';
import type { Project } from '../../../api/management.svc.example/v1/project.js';
import type { ProjectMembers } from '../../../api/management.svc.example/v1/projectmembers.js';
import type { Form } from './forms.js';
import { objects } from './forms.js';
import { pathOf } from './paths.js';
import { send } from './request.js';
import type { NamedView } from './views.js';
import { namedView } from './views.js';

type Spec = NonNullable<Project['spec']>;

/** One role of a member, as the project names it. */
export type ProjectMember = NonNullable<Spec['members']>[number];

export interface ProjectView extends NamedView {
  readonly owner: NonNullable<Spec['owner']>;
  readonly quotas: NonNullable<Spec['quotas']>;
  readonly members: readonly ProjectMember[];
  readonly clusters: readonly string[];
  readonly conditions: readonly Condition[];
}

export const PROJECTS = 'projects';
export const projectForm = (): Form<ProjectView> => objects(projectViewOf);

export function projectViewOf(object: Project): ProjectView {
  const { spec = {}, status = {} } = object;
  return {
    ...namedView(object),
    owner: spec.owner ?? {},
    quotas: spec.quotas ?? {},
    members: spec.members ?? [],
    clusters: (spec.allowedClusters ?? []).map(({ name = '' }) => name),
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

/** What the names of the namespaces of projects begin with, as the server has it. */
export function namespacePrefix(): Promise<string> {
  prefix ??= send<Self>('POST', pathOf('selves'), {
    body: { kind: 'Self', apiVersion: 'management.svc.example/v1' },
  }).then(({ status }) => status?.projectNamespacePrefix ?? '');
  prefix.catch(() => (prefix = undefined));
  return prefix;
}

/** Counted per resource: how many of it a project may hold, and holds. */
export interface Usage {
  readonly name: string;
  readonly used: number;
  readonly most: number;
}

/** `counts`: objects of each resource that can be counted here. */
export function usageOf(
  { quotas }: Pick<ProjectView, 'quotas'>,
  counts: Readonly<Record<string, number>>,
): Usage[] {
  const instances = (counts.spaceinstances ?? 0) + (counts.virtualclusterinstances ?? 0);
  return [
    ...(quotas.instances === undefined
      ? []
      : [{ name: 'instances', used: instances, most: quotas.instances }]),
    ...Object.entries(quotas.objects ?? {}).flatMap(([name, most]) => {
      const used = counts[name.split('.')[0] ?? ''];
      return used === undefined ? [] : [{ name, used, most }];
    }),
  ];
}
