import type { KubeObject, ResourceDefinition } from '../../api/resource.js';
import { ManagedFieldsError, decodeOwners } from '../apimachinery/managedfields/owners.js';
import type { Requester } from './requester.js';
import type { Requirements } from './transaction/effects.js';

/** A write on its way to the store, as admission plugins see it. */
export interface AdmissionAttributes {
  readonly definition: ResourceDefinition;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** `''` for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly requester: Requester;
  readonly dryRun: boolean;
  /** Whether what a plugin required has changed: it reads that from the store now, and not from the cache. */
  readonly bypassCache?: boolean;
  /** Whether an update changes what is kept beside the object: a key. */
  readonly changesWriteOnlyFields?: boolean;
  /** Takes what the client is to be warned of, while mutating. */
  readonly warn?: (text: string) => void;
}

/** What the store needs of admission; `pkg/admission` is the chain of plugins behind it. */
export interface Admission {
  /** May change `object`. Refuses with a StatusError. */
  mutate(
    attributes: AdmissionAttributes,
    object: KubeObject,
    previous: KubeObject | undefined,
  ): Promise<void>;
  /** Answers what the write is committed with, and only while that holds. Refuses with a StatusError. */
  validate(
    attributes: AdmissionAttributes,
    object: KubeObject | undefined,
    previous: KubeObject | undefined,
  ): Promise<readonly Requirements[]>;
}

/**
 * Runs mutating admission. managedFields that it broke are as before, with a warning
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

/** Runs validating admission; the only maker of {@link Admitted}. */
export async function admit(
  admission: Admission,
  attributes: AdmissionAttributes,
  object: KubeObject,
  previous: KubeObject | undefined,
): Promise<{ readonly admitted: Admitted; readonly required: readonly Requirements[] }> {
  const required = await admission.validate(attributes, object, previous);
  return { admitted: object as Admitted, required };
}
