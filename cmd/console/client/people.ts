/** Users and teams, and the objects that they own. */
import type { Team } from '../../../api/management.svc.example/v1/team.js';
import type { User } from '../../../api/management.svc.example/v1/user.js';
import { objects, type Form, type Row } from './forms.js';
import { createObject } from './one.js';
import { changeSpec } from './edits/undo.js';
import { namedView, type NamedView } from './views.js';

export const USERS = 'users';
export const TEAMS = 'teams';

export interface UserView extends NamedView {
  readonly email: string;
  /** The name and the subject at the identity provider. */
  readonly username: string;
  readonly subject: string;
  readonly groups: readonly string[];
  readonly teams: readonly string[];
  /** Group rules that apply since the last login, and what was left out of its claims. */
  readonly rules: readonly string[];
  readonly notes: readonly string[];
  readonly disabled: boolean;
}

export const userForm = (): Form<UserView> => objects(userViewOf);

function userViewOf(object: User): UserView {
  const { spec = {}, status = {} } = object;
  return {
    ...namedView(object),
    email: spec.email ?? '',
    username: spec.username ?? '',
    subject: spec.subject ?? '',
    groups: spec.groups ?? [],
    teams: status.teams ?? [],
    rules: status.login?.rules ?? [],
    notes: status.login?.notes ?? [],
    disabled: spec.disabled ?? false,
  };
}

export interface TeamView extends NamedView {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

export const teamForm = (): Form<TeamView> => objects(teamViewOf);

function teamViewOf(object: Team): TeamView {
  const { spec = {} } = object;
  return {
    ...namedView(object),
    users: spec.users ?? [],
    groups: spec.groups ?? [],
  };
}

/** Empty members are left out. Rejects with ApiError. */
export const createUser = (
  name: string,
  spec: { readonly displayName: string; readonly email: string },
): Promise<unknown> => createObject(USERS, '', { kind: 'User', metadata: { name }, spec: filled(spec) });

/** Rejects with ApiError. */
export const createTeam = (
  name: string,
  { displayName, users }: Pick<TeamView, 'displayName' | 'users'>,
): Promise<unknown> =>
  createObject(TEAMS, '', { kind: 'Team', metadata: { name }, spec: { ...filled({ displayName }), users } });

/** A disabled user cannot authenticate. Rejects with ApiError. */
export const setUserDisabled = ({ metadata }: UserView, disabled: boolean) =>
  changeSpec(USERS, metadata, { disabled });

/** The subject by which the identity provider knows the user; empty: none. Rejects with ApiError. */
export const setSubject = ({ metadata }: UserView, subject: string) =>
  changeSpec(USERS, metadata, { subject: subject === '' ? null : subject });

/** Rejects with ApiError. */
export const setMembers = ({ metadata }: TeamView, users: readonly string[]) =>
  changeSpec(TEAMS, metadata, { users });

const filled = (spec: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== ''));

/** Those rows of a server-side table whose owner is this user or team. */
export const ownedBy = (rows: readonly Row[], name: string): Row[] =>
  rows.filter(({ cells }) => [cells.Owner, cells.User, cells.Team].includes(name));
