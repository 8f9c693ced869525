import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';

/** Maps of metadata to which others may add entries. */
const ADDED = ['labels', 'annotations'] as const;

/**
 * Preserves in `next` what is not ours to remove from `previous`, an object of another API server: labels,
 * annotations and finalizers of others, and fields that this release does not know.
 */
export function keepForeign({ schema }: ResourceDefinition, next: KubeObject, previous: KubeObject): void {
  for (const [member, value] of Object.entries(previous))
    if (!(member in next) && !(member in schema.properties)) next[member] = structuredClone(value);
  const meta = next.metadata;
  for (const member of ADDED) {
    const before = previous.metadata[member];
    if (before !== undefined) meta[member] = { ...before, ...meta[member] };
  }
  for (const [member, value] of Object.entries(previous.metadata))
    if (!(member in meta) && !KNOWN.has(member)) Object.assign(meta, { [member]: structuredClone(value) });
}

/** Fields that a write replaces completely. */
const KNOWN: ReadonlySet<string> = new Set([
  'resourceVersion',
  'selfLink',
  'ownerReferences',
  'generateName',
]);
