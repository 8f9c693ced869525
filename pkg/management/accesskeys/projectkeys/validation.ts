/** What only keys of a project have, and what they cannot have. */
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  findingsOf,
  type FieldError,
} from '../../../apimachinery/errors.js';
import { dns1123Label } from '../../../apimachinery/validation/names.js';
import { PROJECT_ROLES } from '../../projects/roles.js';

type Spec = NonNullable<OwnedAccessKey['spec']>;

export function validateProjectKey(spec: Spec): FieldError[] {
  const { project = '', clusterRole = '', ttl, scope = {} } = spec;
  if (project === '') return ofOthers(spec);
  const ofProject = 'may not be set on a key of a project';
  const inProject = (list: 'projects' | 'spaces' | 'virtualClusters'): FieldError[] =>
    findingsOf((scope[list] ?? []).entries(), ([at, { project: named = '' }]) =>
      named === project
        ? []
        : [
            fieldInvalid(
              `spec.scope.${list}[${at}].project`,
              named,
              `must be ${project}, as spec.project is`,
            ),
          ],
    );
  return [
    ...dns1123Label(project).map((text) => fieldInvalid('spec.project', project, text)),
    ...validateRole(clusterRole),
    ...(ttl !== undefined && ttl <= 0
      ? [fieldInvalid('spec.ttl', ttl, 'must be greater than 0: a key of a project has an end')]
      : []),
    ...(spec.ttlAfterLastActivity === true ? [fieldForbidden('spec.ttlAfterLastActivity', ofProject)] : []),
    ...((spec.groups ?? []).length > 0 ? [fieldForbidden('spec.groups', ofProject)] : []),
    ...((spec.type ?? 'User') === 'User'
      ? []
      : [fieldForbidden('spec.type', `${ofProject}, unless to User`)]),
    ...inProject('projects'),
    ...inProject('spaces'),
    ...inProject('virtualClusters'),
  ];
}

function validateRole(clusterRole: string): FieldError[] {
  if (clusterRole === '') return [fieldRequired('spec.clusterRole')];
  return PROJECT_ROLES.includes(clusterRole)
    ? []
    : [fieldNotSupported('spec.clusterRole', clusterRole, PROJECT_ROLES)];
}

function ofOthers({ clusterRole, endsWithMaker }: Spec): FieldError[] {
  const given = { clusterRole, endsWithMaker };
  return findingsOf(Object.entries(given), ([member, value]) =>
    value === undefined
      ? []
      : [fieldForbidden(`spec.${member}`, 'may only be set together with spec.project')],
  );
}

/** A key stays one of its project, or of none, as long as it lives. */
export function validateProjectKeyUpdate(next: Spec, previous: Spec): FieldError[] {
  const members = ['project', 'endsWithMaker'] as const;
  return findingsOf(members, (member) =>
    (next[member] || undefined) === (previous[member] || undefined)
      ? []
      : [fieldForbidden(`spec.${member}`, 'may not be changed: make another key')],
  );
}
