import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';

/** Members of metadata to which others may add. */
const ADDED = ['labels', 'annotations'] as const;

/**
 * Keeps on `next`, which takes the place of `previous` at another API server, what is not ours to take away: labels,
 * annotations and finalizers of others, and members that this release does not know.
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

/** Members of which what is written is all there is. */
const KNOWN: ReadonlySet<string> = new Set([
  'resourceVersion',
  'selfLink',
  'ownerReferences',
  'generateName',
]);
