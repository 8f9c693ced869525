import type { KubeObject, ResourceDefinition } from '../../api/resource.js';
import { ManagedFieldsError, decodeOwners } from '../apimachinery/managedfields/owners.js';
import type { Requester } from './requester.js';
import type { Requirements } from './transaction/effects.js';

/** The attributes of a write for admission plugins. */
export interface AdmissionAttributes {
  readonly definition: ResourceDefinition;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** `''` for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly requester: Requester;
  readonly dryRun: boolean;
  /** Whether an earlier attempt failed a precondition: plugins then read from the store, not from the cache. */
  readonly bypassCache?: boolean;
  /** Whether an update changes write-only fields, such as a key. */
  readonly changesWriteOnlyFields?: boolean;
  /** Adds a warning to the response. */
  readonly warn?: (text: string) => void;
}

/** Admission as the store calls it; `pkg/admission` implements it as a chain of plugins. */
export interface Admission {
  /** May modify `object`. Throws StatusError to refuse. */
  mutate(
    attributes: AdmissionAttributes,
    object: KubeObject,
    previous: KubeObject | undefined,
  ): Promise<void>;
  /** Returns the requirements of the write's commit. Throws StatusError to refuse. */
  validate(
    attributes: AdmissionAttributes,
    object: KubeObject | undefined,
    previous: KubeObject | undefined,
  ): Promise<readonly Requirements[]>;
}

/**
 * Runs mutating admission. If it breaks managedFields, they are restored, with a warning
 * (`k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager`, admission.go).
 */
export async function mutate(
  admission: Admission,
  attributes: AdmissionAttributes,
  object: KubeObject,
  previous: KubeObject | undefined,
  warn: (text: string) => void,
): Promise<void> {
  const before = object.metadata.managedFields;
  await admission.mutate(attributes, object, previous);
  const { metadata } = object;
  if (metadata.managedFields === before) return;
  try {
    decodeOwners(metadata.managedFields);
  } catch (error) {
    if (!(error instanceof ManagedFieldsError)) throw error;
    if (before === undefined) delete metadata.managedFields;
    else metadata.managedFields = before;
    warn(BROKEN_FIELDS + error.message);
  }
}

const BROKEN_FIELDS =
  '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ';

declare const admitted: unique symbol;

/** An object that passed validating admission; only such objects are committed. */
export type Admitted<O extends KubeObject = KubeObject> = O & { readonly [admitted]: true };

/** Runs validating admission. Only this function creates {@link Admitted}. */
export async function admit(
  admission: Admission,
  attributes: AdmissionAttributes,
  object: KubeObject,
  previous: KubeObject | undefined,
): Promise<{ readonly admitted: Admitted; readonly required: readonly Requirements[] }> {
  const required = await admission.validate(attributes, object, previous);
  // The mark is for the compiler only: objects have no such member.
  return { admitted: object as Admitted, required };
}
