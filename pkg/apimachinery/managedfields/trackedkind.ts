import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { difference, setOf, type FieldSet } from './fieldpath/fieldset.js';
import type { MergeType } from './typed/mergeschema.js';

/** The description of a kind for field management. */
export interface TrackedKind {
  readonly group: string;
  readonly kind: string;
  /** `group/version` of each served version. Versions differ in name only. */
  readonly apiVersions: readonly string[];
  /** The type of the whole object. */
  readonly type: MergeType;
  /** Members of even an empty object of the kind (`spec`, `status`), which therefore get no manager on creation. */
  readonly always: { readonly [member: string]: JsonValue };
  /** Fields that a write through a subresource (`''`: the main resource) cannot change, and so never owns. */
  resetFields(subresource: string): FieldSet;
}

/** The object before its creation. */
export function blankObject({ kind, always }: TrackedKind, apiVersion: string): KubeObject {
  return { kind, apiVersion, metadata: {}, ...always };
}

const field = (...names: string[]): string[] => names.map((name) => `f:${name}`);

/** Fields without managers. */
const NEVER_OWNED = setOf(
  field('apiVersion'),
  field('kind'),
  field('metadata'),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => field('metadata', name)),
);

/** Without the members of {@link NEVER_OWNED}. */
export function ownable(set: FieldSet): FieldSet {
  return difference(set, NEVER_OWNED);
}
