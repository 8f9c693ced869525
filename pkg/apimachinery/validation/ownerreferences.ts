import type { ObjectMeta, OwnerReference } from '../../../api/resource.js';
import { fieldInvalid, fieldRequired, findingsOf, type FieldError } from '../errors.js';
import { invalidText } from './invalid.js';

/** The maximum number of references in an error. */
const MAX_SHOWN = 50;

/**
 * Requires complete references, none to an Event, and at most one controller. Errors and paths are those of
 * Kubernetes.
 */
export function validateOwnerReferences(
  references: readonly OwnerReference[] = [],
  path: string,
): FieldError[] {
  let controller: string | undefined;
  return findingsOf(references.entries(), ([index, reference]) => {
    const errors = validateOwnerReference(reference, `${path}[${index}]`);
    if (reference.controller !== true) return errors;
    const name = `${reference.kind ?? ''}/${reference.name ?? ''}`;
    if (controller === undefined) {
      controller = name;
      return errors;
    }
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
    return [...errors, fieldInvalid(path, references.slice(0, MAX_SHOWN).map(canonical), detail)];
  });
}

function validateOwnerReference(reference: OwnerReference, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const member of ['apiVersion', 'kind', 'name', 'uid'] as const) {
    const value = reference[member] ?? '';
    if (value === '') errors.push(fieldRequired(`${path}.${member}`, 'must not be empty'));
    else if (member === 'apiVersion' && versionOf(value) === '')
      errors.push(invalidText(`${path}.apiVersion`, value, 'must be <group>/<version> or <version>'));
  }
  if (isEvent(reference.apiVersion ?? '', reference.kind)) {
    errors.push(
      fieldInvalid(path, canonical(reference), '/v1, Kind=Event is disallowed from being an owner'),
    );
  }
  return errors;
}

/** The version of `group/version` or `version`; `''` for anything else. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split('/');
  return parts.length > 2 ? '' : parts[parts.length - 1]!;
}

const isEvent = (apiVersion: string, kind: string): boolean =>
  kind === 'Event' && (apiVersion === 'v1' || apiVersion === '/v1');

/** The fields in Kubernetes' order; flags only if set. */
function canonical(reference: OwnerReference): OwnerReference {
  const { apiVersion = '', kind = '', name = '', uid = '', controller, blockOwnerDeletion } = reference;
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(typeof controller === 'boolean' && { controller }),
    ...(typeof blockOwnerDeletion === 'boolean' && { blockOwnerDeletion }),
  };
}

const ADVICE =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed:';

/**
 * Drops references of `meta` that equal an earlier one. Returns the warning for the client, or undefined if nothing
 * was dropped. `afterAdmission`: whether the duplicates were found after mutating admission, as for every PATCH.
 */
export function dedupeOwnerReferences(meta: ObjectMeta, afterAdmission = false): string | undefined {
  const references = meta.ownerReferences;
  if (references === undefined || references.length < 2) return undefined;
  const seen = new Set<string>();
  const dropped: string[] = [];
  const kept = references.filter((reference) => {
    const text = JSON.stringify(canonical(reference));
    if (seen.has(text)) {
      dropped.push(reference.uid);
      return false;
    }
    seen.add(text);
    return true;
  });
  if (dropped.length === 0) return undefined;
  meta.ownerReferences = kept;
  const when = afterAdmission ? ' after mutating admission happens' : '';
  return `.metadata.ownerReferences contains duplicate entries${when}; ${ADVICE} ${dropped.join(', ')}`;
}
