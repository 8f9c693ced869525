import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { difference, setOf } from './fieldpath/fieldset.js';
import type { FieldSet } from './fieldpath/fieldset.js';
import type { MergeType } from './typed/mergeschema.js';

/** What tracking the fields of one kind needs to know of it. */
export interface TrackedKind {
  readonly group: string;
  readonly kind: string;
  /** `group/version` of each version that is served. They differ in name only. */
  readonly apiVersions: readonly string[];
  /** Of the whole object. */
  readonly type: MergeType;
  /** Members that even an empty object of the kind has (`spec`, `status`), and that nobody creates therefore. */
  readonly always: { readonly [member: string]: JsonValue };
  /** What a write through a subresource (`''`: the main resource) cannot change, and so never owns. */
  resetFields(subresource: string): FieldSet;
}

/** What stands for an object before it is created. */
export function blankObject({ kind, always }: TrackedKind, apiVersion: string): KubeObject {
  return { kind, apiVersion, metadata: {}, ...always };
}

const field = (...names: string[]): string[] => names.map((name) => `f:${name}`);

/** What nobody owns. */
const NEVER_OWNED = setOf(
  field('apiVersion'),
  field('kind'),
  field('metadata'),
  ...[
    ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName'],
    ...['generation', 'managedFields', 'resourceVersion'],
  ].map((name) => field('metadata', name)),
);

/** Without the members of {@link NEVER_OWNED}. */
export function ownable(set: FieldSet): FieldSet {
  return difference(set, NEVER_OWNED);
}
