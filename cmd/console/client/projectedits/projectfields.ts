/** The fields of a project that its form edits, as texts. */
import { changeSpec } from '../edits/undo.js';
import { PROJECTS, type ProjectView } from '../projects.js';
import { limitOf } from './quotas.js';

export interface ProjectFields {
  readonly displayName: string;
  readonly description: string;
  readonly ownerKind: 'User' | 'Team';
  readonly owner: string;
  /** In days; empty: the server's default. */
  readonly maxKeyDays: string;
}

export const projectFields = ({
  displayName,
  description,
  owner,
  maxKeyDays,
}: ProjectView): ProjectFields => ({
  displayName,
  description,
  ownerKind: owner.team === undefined ? 'User' : 'Team',
  owner: owner.team ?? owner.user ?? '',
  maxKeyDays: `${maxKeyDays ?? ''}`,
});

/** A merge patch of `spec` with the fields that differ. */
export function fieldsPatch(before: ProjectFields, after: ProjectFields): object {
  const isChanged = (...names: readonly (keyof ProjectFields)[]): boolean =>
    names.some((name) => before[name] !== after[name]);
  const owner = after.owner.trim();
  return {
    ...(isChanged('displayName') && { displayName: after.displayName || null }),
    ...(isChanged('description') && { description: after.description || null }),
    ...(isChanged('ownerKind', 'owner') && {
      owner: after.ownerKind === 'Team' ? { user: null, team: owner } : { user: owner, team: null },
    }),
    ...(isChanged('maxKeyDays') && { maxKeyDays: limitOf(after.maxKeyDays.trim()) }),
  };
}

/** Sets the fields on the version that is given: 409 if somebody else changed the project since. Rejects with ApiError. */
export const setFields = ({ metadata }: ProjectView, patch: object) => changeSpec(PROJECTS, metadata, patch);
