/**
 * Patterns of resources in an EncryptionConfiguration: `secrets`, `projects.management.svc.example`, `*.<group>`, `*.`,
 * `*.*`.
 */

/**
 * The resource of a record, such as `secrets.` or `sharedsecrets.management.svc.example`; undefined for a record of the
 * server itself.
 */
export function groupsOf(key: string): string | undefined {
  const [registry, group = '', plural = '', rest] = key.split('/', 4);
  if (registry !== 'registry' || group === 'private' || rest === undefined) return undefined;
  return `${plural}.${group === 'core' ? '' : group}`;
}

/** Whether one of the patterns names the resource of {@link groupsOf}. */
export function matches(patterns: readonly string[], resource: string): boolean {
  const group = resource.slice(resource.indexOf('.') + 1);
  return patterns.some(
    (pattern) =>
      pattern === '*.*' ||
      pattern === `*.${group}` ||
      (pattern.includes('.') ? pattern : `${pattern}.`) === resource,
  );
}
