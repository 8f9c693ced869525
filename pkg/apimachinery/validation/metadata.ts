/**
 * Validation of metadata: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go`, with the repetitions of
 * `k8s.io/apiserver/pkg/registry/rest` on a create and on an update.
 */
import type { NameRule, ObjectMeta, ManagedFieldsEntry } from '../../../api/resource.js';
import {
  fieldForbidden,
  fieldInvalid,
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

/** Findings on fields that a write checks several times: they are computed once and reported each time. */
interface SharedFindings {
  readonly maps: readonly FieldError[];
  readonly owners: readonly FieldError[];
  readonly managedFields: readonly FieldError[];
}

function sharedFindings(meta: ObjectMeta): SharedFindings {
  return {
    maps: [
      ...validateLabels(meta.labels, 'metadata.labels'),
      ...validateAnnotations(meta.annotations, 'metadata.annotations'),
    ],
    owners: validateOwnerReferences(meta.ownerReferences, 'metadata.ownerReferences'),
    managedFields: validateManagedFields(meta.managedFields, 'metadata.managedFields'),
  };
}

/** Metadata of a new object, after name generation. */
export function validateMetadataCreate(
  meta: ObjectMeta,
  rules: MetadataRules,
  shared = sharedFindings(meta),
): FieldError[] {
  return [
    ...validateObjectMeta(meta, rules.namespaced, nameCheckOf(rules.nameRule), shared),
    ...kindFinalizers(meta, rules),
  ];
}

/**
 * Metadata of an update. The generic checks run first, then those of the kind, so that errors of both are repeated:
 * kube-apiserver lists an invalid label of a built-in kind in four causes, of another kind in three, and mentions it
 * once in the message. The resourceVersion is not checked: it is a precondition that the store has checked before,
 * and is not stored.
 */
export function validateMetadataUpdate(
  next: ObjectMeta,
  previous: ObjectMeta,
  rules: MetadataRules,
): FieldError[] {
  const shared = sharedFindings(next);
  const changes = [...changesBeforeVersion(next, previous), ...changesAfterVersion(next, previous, shared)];
  const generic = [...validateObjectMeta(next, rules.namespaced, pathSegment, shared), ...changes];
  if (!rules.builtIn) return [...generic, ...changes];
  const created = validateMetadataCreate(next, rules, shared);
  return [...generic, ...changes, ...kindFinalizers(next, rules), ...created];
}

function kindFinalizers(meta: ObjectMeta, rules: MetadataRules): FieldError[] {
  return rules.builtIn ? validateBuiltInFinalizers(meta.finalizers, 'metadata.finalizers') : [];
}

/** `ValidateObjectMeta`: checks that do not depend on the previous metadata. */
export function validateObjectMeta(
  meta: ObjectMeta,
  namespaced: boolean,
  nameCheck: NameCheck,
  shared = sharedFindings(meta),
): FieldError[] {
  const errors = [...validateNames(meta, nameCheck), ...validateNamespace(meta.namespace ?? '', namespaced)];
  const generation = meta.generation ?? 0;
  if (generation < 0) {
    errors.push(fieldInvalid('metadata.generation', generation, 'must be greater than or equal to 0'));
  }
  errors.push(
    ...shared.maps,
    ...shared.owners,
    ...validateFinalizers(meta.finalizers, 'metadata.finalizers'),
    ...shared.managedFields,
  );
  return errors;
}

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
  return [...errors, ...changesAfterVersion(next, previous, sharedFindings(next))];
}

/** The findings before that of the resourceVersion. */
function changesBeforeVersion(next: ObjectMeta, previous: ObjectMeta): FieldError[] {
  if (previous.deletionTimestamp === undefined) return [];
  return validateNoNewFinalizers(next.finalizers, previous.finalizers, 'metadata.finalizers');
}

function changesAfterVersion(next: ObjectMeta, previous: ObjectMeta, shared: SharedFindings): FieldError[] {
  const errors: FieldError[] = [];
  const generation = next.generation ?? 0;
  if (generation < (previous.generation ?? 0)) {
    errors.push(fieldInvalid('metadata.generation', generation, 'must not be decremented'));
  }
  errors.push(
    ...validateImmutable(next, previous),
    ...shared.maps,
    ...shared.owners,
    ...shared.managedFields,
  );
  return errors;
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

/** Validates the envelope of each entry, but not `fieldsV1`. The errors are those of Kubernetes 1.36. */
function validateManagedFields(entries: readonly ManagedFieldsEntry[] = [], path: string): FieldError[] {
  return findingsOf(entries.entries(), ([index, entry]) => validateEntry(entry, `${path}[${index}]`));
}

function validateEntry(entry: ManagedFieldsEntry, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const operation = entry.operation ?? '';
  if (operation !== 'Apply' && operation !== 'Update') {
    errors.push(invalidText(`${path}.operation`, operation, 'must be `Apply` or `Update`'));
  }
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
