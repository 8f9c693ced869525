/**
 * The common strategy of RoleBindings and ClusterRoleBindings (`k8s.io/kubernetes/pkg/apis/rbac`: defaults,
 * validation, printing).
 */
import type { Static } from 'typebox';
import type { roleRefSchema } from '../../../api/rbac.authorization.k8s.io/v1/roleref.js';
import type { subjectSchema } from '../../../api/rbac.authorization.k8s.io/v1/subject.js';
import type { KubeObject } from '../../../api/resource.js';
import type { ClusterRoleBinding } from '../../../api/rbac.authorization.k8s.io/v1/clusterrolebinding.js';
import type { RoleBinding } from '../../../api/rbac.authorization.k8s.io/v1/rolebinding.js';
import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  findingsOf,
  type FieldError,
} from '../../apimachinery/errors.js';
import { humanAge } from '../../apimachinery/table.js';
import { dns1123Subdomain, pathSegment } from '../../apimachinery/validation/names.js';
import { ageColumn } from '../object/columns.js';
import { sameJson } from '../object/metadata.js';
import type { Strategy, TableColumn } from '../strategy.js';

const GROUP = 'rbac.authorization.k8s.io';

export type Subject = Static<typeof subjectSchema>;
export type RoleRef = Static<typeof roleRefSchema>;

export type Binding = RoleBinding | ClusterRoleBinding;

/** Of an object of either kind, which every caller knows it to be. */
export const subjectsOf = ({ subjects }: WithSubjects): readonly Subject[] => subjects ?? [];

interface WithSubjects extends KubeObject {
  subjects?: Subject[];
}

/** Of an object of either kind, which every caller knows it to be. */
export const roleRefOf = (binding: KubeObject): RoleRef => (binding as Binding).roleRef;

/** `kinds`: the allowed kinds of roles. `noun`: the name of the binding in columns. */
export function bindingStrategy(
  kinds: readonly string[],
  namespaced: boolean,
  noun: string,
): Strategy<Binding> {
  return {
    generation: false,
    decidesAccess: true,
    columns: columns(noun),
    applyDefaults(object) {
      const ref = roleRefOf(object);
      if (ref.apiGroup === '') ref.apiGroup = GROUP;
      for (const subject of subjectsOf(object)) {
        if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ??= GROUP;
      }
    },
    validate: (object) => [
      ...validateRoleRef(roleRefOf(object), kinds),
      ...findingsOf(subjectsOf(object).entries(), ([i, subject]) =>
        validateSubject(subject, namespaced, `subjects[${i}]`),
      ),
      ...missingNames(object),
    ],
    validateUpdate(next, previous) {
      const ref = roleRefOf(next);
      if (sameJson(ref, roleRefOf(previous))) return [];
      const printed = { APIGroup: ref.apiGroup, Kind: ref.kind, Name: ref.name };
      return [fieldInvalid('roleRef', printed, 'field is immutable')];
    },
  };
}

function validateRoleRef(ref: RoleRef, kinds: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (ref.apiGroup !== GROUP) errors.push(fieldNotSupported('roleRef.apiGroup', ref.apiGroup, [GROUP]));
  if (!kinds.includes(ref.kind)) errors.push(fieldNotSupported('roleRef.kind', ref.kind, kinds));
  if (ref.name === '') return errors;
  return [...errors, ...pathSegment(ref.name).map((text) => fieldInvalid('roleRef.name', ref.name, text))];
}

/** Kubernetes validates what is required after all else (`validation-gen`). */
function missingNames(binding: KubeObject): FieldError[] {
  const missing = findingsOf(subjectsOf(binding).entries(), ([i, { name }]) =>
    name === '' ? [fieldRequired(`subjects[${i}].name`)] : [],
  );
  return roleRefOf(binding).name === '' ? [...missing, fieldRequired('roleRef.name')] : missing;
}

function validateSubject(subject: Subject, namespaced: boolean, path: string): FieldError[] {
  const { kind, name, apiGroup = '', namespace = '' } = subject;
  const errors: FieldError[] = [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') {
        errors.push(...dns1123Subdomain(name).map((text) => fieldInvalid(`${path}.name`, name, text)));
      }
      if (apiGroup !== '') errors.push(fieldNotSupported(`${path}.apiGroup`, apiGroup, ['']));
      if (!namespaced && namespace === '') errors.push(fieldRequired(`${path}.namespace`));
      return errors;
    case 'User':
    case 'Group':
      if (apiGroup !== GROUP) errors.push(fieldNotSupported(`${path}.apiGroup`, apiGroup, [GROUP]));
      return errors;
    default:
      return [fieldNotSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

function columns(noun: string): TableColumn<Binding>[] {
  return [
    {
      name: 'Role',
      type: 'string',
      format: '',
      description: 'The role that is bound, by its kind and name.',
      priority: 0,
      cell: ({ roleRef }) => {
        const { kind = '', name = '' } = roleRef ?? {};
        return `${kind}/${name}`;
      },
    },
    ageColumn(humanAge),
    subjectColumn('Users', noun, 'User', ({ name }) => name),
    subjectColumn('Groups', noun, 'Group', ({ name }) => name),
    subjectColumn(
      'ServiceAccounts',
      noun,
      'ServiceAccount',
      ({ namespace = '', name }) => `${namespace}/${name}`,
    ),
  ];
}

function subjectColumn(
  name: string,
  noun: string,
  kind: string,
  print: (subject: Subject) => string,
): TableColumn<Binding> {
  return {
    name,
    type: 'string',
    format: '',
    description: `${name} in the ${noun}`,
    priority: 1,
    cell: (object) =>
      subjectsOf(object)
        .filter((subject) => subject.kind === kind)
        .map(print)
        .join(', '),
  };
}
