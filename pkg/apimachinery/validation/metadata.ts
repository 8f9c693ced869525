/** Validation of metadata: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go`. */
import type { NameRule, ObjectMeta, ManagedFieldsEntry } from '../../../api/resource.js';
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  type FieldError,
  fieldTooLong,
  findingsOf,
} from '../errors.js';
import { validateBuiltInFinalizers, validateFinalizers, validateNoNewFinalizers } from './finalizers.js';
import { invalidText, byteLength } from './invalid.js';
import { validateAnnotations, validateLabels } from './labels.js';
import { checkName, dns1123Label, nameCheckOf, pathSegment, type NameCheck } from './names.js';
import { validateOwnerReferences } from './ownerreferences.js';
import { validateFieldManager } from './fieldmanager.js';

export { dedupeOwnerReferences } from './ownerreferences.js';

/** The part of a kind's definition that metadata depend on. */
export interface MetadataRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
  /** Kubernetes' own kinds check finalizers more strictly. */
  readonly builtIn: boolean;
}

/** Metadata of a new object, after name generation. */
export function validateMetadataCreate(meta: ObjectMeta, rules: MetadataRules): FieldError[] {
  return [
    ...validateObjectMeta(meta, rules.namespaced, nameCheckOf(rules.nameRule)),
    ...kindFinalizers(meta, rules),
  ];
}

/**
 * Metadata of an update: the generic checks, then those of the kind. The resourceVersion is not checked: it is a
 * precondition that the store has checked before, and is not stored.
 */
export function validateMetadataUpdate(
  next: ObjectMeta,
  previous: ObjectMeta,
  rules: MetadataRules,
): FieldError[] {
  const generic = [
    ...validateObjectMeta(next, rules.namespaced, pathSegment),
    ...changesBeforeVersion(next, previous),
    ...changesAfterVersion(next, previous),
  ];
  if (!rules.builtIn) return generic;
  return [...generic, ...kindFinalizers(next, rules), ...validateNames(next, nameCheckOf(rules.nameRule))];
}

function kindFinalizers(meta: ObjectMeta, rules: MetadataRules): FieldError[] {
  return rules.builtIn ? validateBuiltInFinalizers(meta.finalizers, 'metadata.finalizers') : [];
}

/** `ValidateObjectMeta`: checks that do not depend on the previous metadata. */
export function validateObjectMeta(
  meta: ObjectMeta,
  namespaced: boolean,
  nameCheck: NameCheck,
): FieldError[] {
  return [
    ...validateNames(meta, nameCheck),
    ...validateNamespace(meta.namespace ?? '', namespaced),
    ...validateGeneration(meta),
    ...validateLabelsAndOwners(meta),
    ...validateFinalizers(meta.finalizers, 'metadata.finalizers'),
    ...validateManagedFields(meta.managedFields, 'metadata.managedFields'),
  ];
}

function validateGeneration({ generation = 0 }: ObjectMeta): FieldError[] {
  if (generation >= 0) return [];
  return [fieldInvalid('metadata.generation', generation, 'must be greater than or equal to 0')];
}

const validateLabelsAndOwners = ({ labels, annotations, ownerReferences }: ObjectMeta): FieldError[] => [
  ...validateLabels(labels, 'metadata.labels'),
  ...validateAnnotations(annotations, 'metadata.annotations'),
  ...validateOwnerReferences(ownerReferences, 'metadata.ownerReferences'),
];

function validateNames({ generateName = '', name = '' }: ObjectMeta, nameCheck: NameCheck): FieldError[] {
  const errors: FieldError[] = [];
  if (generateName !== '') {
    for (const text of checkName(nameCheck, generateName, true)) {
      errors.push(invalidText('metadata.generateName', generateName, text));
    }
  }
  if (name === '') return [...errors, fieldRequired('metadata.name', 'name or generateName is required')];
  for (const text of checkName(nameCheck, name, false)) errors.push(invalidText('metadata.name', name, text));
  return errors;
}

function validateNamespace(namespace: string, namespaced: boolean): FieldError[] {
  const path = 'metadata.namespace';
  if (!namespaced) return namespace === '' ? [] : [fieldForbidden(path, 'not allowed on this type')];
  if (namespace === '') return [fieldRequired(path)];
  return dns1123Label(namespace).map((text) => invalidText(path, namespace, text));
}

/**
 * `ValidateObjectMetaUpdate`: immutable fields, and repeated checks. For vectors.
 * @internal
 */
export function validateObjectMetaUpdate(next: ObjectMeta, previous: ObjectMeta): FieldError[] {
  const errors = changesBeforeVersion(next, previous);
  if ((next.resourceVersion ?? '') === '') {
    errors.push(invalidText('metadata.resourceVersion', '', 'must be specified for an update'));
  }
  errors.push(...changesAfterVersion(next, previous), ...validateLabelsAndOwners(next));
  return [...errors, ...validateManagedFields(next.managedFields, 'metadata.managedFields')];
}

/** The findings before that of the resourceVersion. */
function changesBeforeVersion(next: ObjectMeta, previous: ObjectMeta): FieldError[] {
  if (previous.deletionTimestamp === undefined) return [];
  return validateNoNewFinalizers(next.finalizers, previous.finalizers, 'metadata.finalizers');
}

function changesAfterVersion(next: ObjectMeta, previous: ObjectMeta): FieldError[] {
  const errors = validateGeneration(next);
  const generation = next.generation ?? 0;
  if (generation < (previous.generation ?? 0)) {
    errors.push(fieldInvalid('metadata.generation', generation, 'must not be decremented'));
  }
  return [...errors, ...validateImmutable(next, previous)];
}

/** Immutable fields, with the text for an absent one in errors. */
const IMMUTABLE = [
  ['name', ''],
  ['namespace', ''],
  ['uid', ''],
  ['creationTimestamp', null],
  ['deletionTimestamp', null],
  ['deletionGracePeriodSeconds', null],
] as const;

const ZONED_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/;

/** Times are compared and printed in UTC. */
function comparable(value: string | number | null): string | number | null {
  if (typeof value !== 'string' || !ZONED_TIME.test(value)) return value;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? value : time.toISOString().replace(/\.\d+Z$/, 'Z');
}

function validateImmutable(next: ObjectMeta, previous: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  for (const [member, absent] of IMMUTABLE) {
    const value = comparable(next[member] ?? absent);
    if (value === comparable(previous[member] ?? absent)) continue;
    const path = `metadata.${member}`;
    const detail = 'field is immutable';
    errors.push(
      typeof value === 'string' ? invalidText(path, value, detail) : fieldInvalid(path, value, detail),
    );
  }
  return errors;
}

const SUBRESOURCE_LENGTH = 256;
const OPERATIONS: readonly string[] = ['Apply', 'Update'];

/** Validates the envelope of each entry, but not `fieldsV1`. */
function validateManagedFields(entries: readonly ManagedFieldsEntry[] = [], path: string): FieldError[] {
  return findingsOf(entries.entries(), ([index, entry]) => validateEntry(entry, `${path}[${index}]`));
}

function validateEntry(entry: ManagedFieldsEntry, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const operation = entry.operation ?? '';
  if (operation === '') errors.push(fieldRequired(`${path}.operation`, 'must not be empty'));
  else if (!OPERATIONS.includes(operation))
    errors.push(fieldNotSupported(`${path}.operation`, operation, OPERATIONS));
  const fieldsType = entry.fieldsType ?? '';
  if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
    errors.push(invalidText(`${path}.fieldsType`, fieldsType, 'must be `FieldsV1`'));
  }
  errors.push(...validateFieldManager(entry.manager ?? '', `${path}.manager`));
  if (byteLength(entry.subresource ?? '') > SUBRESOURCE_LENGTH) {
    errors.push(fieldTooLong(`${path}.subresource`, SUBRESOURCE_LENGTH));
  }
  return errors;
}
