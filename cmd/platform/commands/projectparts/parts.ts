/** Parts of a project that are no objects of their own: members, allowed clusters and quotas. */
import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { ProjectClusters } from '../../../../api/management.svc.example/v1/projectclusters.js';
import { listOf, membersOf } from '../../../../pkg/apimachinery/encoding/members.js';
import { listedMembers } from '../../../../pkg/management/projects/members/listed.js';
import type { Client } from '../../connection/client.js';
import { Failure } from '../../failure.js';
import { roleName } from '../nouns/members.js';
import { quotaEntries, quotaName, quotaWord } from './quotas.js';

type Spec = NonNullable<Project['spec']>;

/** One of them, as `-o json` prints it. */
export interface Entry {
  readonly name: string;
  /** Of a member: User or Team. */
  readonly kind?: string;
  readonly [member: string]: unknown;
}

export interface ProjectPart {
  /** Singular; the plural has an `s`. */
  readonly word: string;
  /** With its article, for help. */
  readonly one: string;
  /** Plural, for help. */
  readonly many: string;
  /** An example, for help. */
  readonly example: string;
  readonly headings: readonly string[];
  /** What is said of a project without any, with the command that adds one. */
  none(project: string): string;
  /** In the order in which the project names them. */
  entriesOf(spec: Spec, client: Client, project: string): Promise<Entry[]>;
  /** The name that somebody means by a text. */
  nameOf?(text: string): string;
  cellsOf(entry: Entry): readonly unknown[];
}

const without = (project: string, many: string, command: string): string =>
  `Project "${project}" has no ${many}; "platform ${command} --project ${project}" adds one.`;

export const PROJECT_PARTS: readonly ProjectPart[] = [
  {
    word: 'member',
    one: 'a member of a project',
    many: 'the members of a project',
    example: 'ada',
    none: (project) => without(project, 'members', 'add member NAME'),
    headings: ['Kind', 'Name', 'Role'],
    entriesOf: (spec) => Promise.resolve(listedMembers(spec)),
    cellsOf: ({ kind, name, clusterRoles, owner }) => [
      kind,
      name,
      listOf(clusterRoles).map(String).map(roleName).join(', ') + (owner === true ? ' (owner)' : ''),
    ],
  },
  {
    word: 'allowedcluster',
    one: 'a connected cluster that a project may use',
    many: 'the connected clusters that a project may use',
    example: 'east',
    none: (project) => without(project, 'allowed clusters', 'allow cluster NAME'),
    headings: ['Name', 'Display Name', 'Phase', 'Online'],
    entriesOf: allowedClusters,
    cellsOf: ({ name, displayName, phase, online }) => [name, displayName, phase, online],
  },
  {
    word: 'quota',
    one: 'a quota of a project',
    many: 'the quotas of a project',
    example: 'instances',
    none: (project) => without(project, 'quotas', 'set quota instances=3'),
    headings: ['Name', 'Used', 'Hard'],
    entriesOf: quotaEntries,
    nameOf: (text) => quotaName(text),
    cellsOf: ({ name, used, limit }) => [quotaWord(name), used, limit],
  },
];

/** The clusters that the project names, and with `*` all. One that does not exist has the phase NotFound. */
async function allowedClusters(
  { allowedClusters: allowed = [] }: Spec,
  client: Client,
  project: string,
): Promise<Entry[]> {
  if (allowed.length === 0) return [];
  const there = await clustersOf(client, project);
  const names = [...allowed, ...(there ?? [])].flatMap(({ name }) => name ?? []);
  return [...new Set(names)].map((name) => {
    const cluster = there?.find((one) => one.name === name);
    const missing = there !== undefined && cluster === undefined && name !== '*';
    return { name, ...membersOf(cluster), ...(missing && { phase: 'NotFound' }) };
  });
}

/** Undefined where the caller may not see them. */
export async function clustersOf(
  client: Client,
  project: string,
): Promise<ProjectClusters['clusters'] | undefined> {
  const place = { resource: 'projects', name: project, subresource: 'clusters' };
  try {
    return (await client.get<Pick<ProjectClusters, 'clusters'>>(place)).clusters ?? [];
  } catch (error) {
    if (error instanceof Failure && error.reason === 'forbidden') return undefined;
    throw error;
  }
}
