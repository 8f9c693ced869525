/** Members of a project as its spec lists them: one entry for each role of a user or a team. */
import { changeSpec } from '../edits/undo.js';
import { PROJECTS, type ProjectMember, type ProjectView } from '../projects.js';
import { ApiError } from '../status.js';

/** A user or a team; the user `*` is everyone who is logged in. */
export type Person = Pick<ProjectMember, 'kind' | 'name'>;

const isOf = ({ kind, name }: Person, person: Person): boolean =>
  kind === person.kind && name === person.name;

/** The ClusterRoles of a member; empty: the user or team is no member. */
export const rolesOf = (members: readonly ProjectMember[], person: Person): string[] =>
  members.filter((member) => isOf(member, person)).map(({ clusterRole }) => clusterRole);

/**
 * The members with these roles of one user or team instead of the former ones; without roles, that member is removed.
 * Other members stay as they are.
 */
export function withRoles(
  members: readonly ProjectMember[],
  { kind, name }: Person,
  clusterRoles: readonly string[],
): ProjectMember[] {
  const person = { kind, name };
  const at = members.findIndex((member) => isOf(member, person));
  const others = members.filter((member) => !isOf(member, person));
  const entries = clusterRoles.map((clusterRole) => ({ ...person, clusterRole }));
  return others.toSpliced(at < 0 ? others.length : at, 0, ...entries);
}

/**
 * Sets the roles of one member, on the version that is shown: 409 if somebody else changed the project first. Rejects
 * with ApiError.
 */
export const setRoles = ({ metadata, members }: ProjectView, person: Person, roles: readonly string[]) =>
  changeSpec(PROJECTS, metadata, { members: withRoles(members, person, roles) });

export interface MemberFaults {
  readonly role: readonly string[];
  /** Errors about the name, and about the list. */
  readonly name: readonly string[];
}

/** The server's errors about the entries of the member that was sent: it accepted all others before. */
export function memberFaults(error: unknown): MemberFaults {
  const causes = error instanceof ApiError ? error.causes : [];
  const of = (isRole: boolean): string[] => [
    ...new Set(
      causes
        .filter(({ field = '' }) => /^spec\.members\b/.test(field) && /\.clusterRole$/.test(field) === isRole)
        .map(({ message = '' }) => message),
    ),
  ];
  return { role: of(true), name: of(false) };
}
