/** The order of discovery: groups, resources and verbs by name, versions as declared. */
import type { ResourceDefinition } from '../../../api/resource.js';

/** Names of the served groups except the core group, sorted. */
export function namedGroups(definitions: readonly ResourceDefinition[]): string[] {
  return [...new Set(definitions.map(({ group }) => group))].filter((group) => group !== '').sort();
}

/** Versions of a group in order of declaration; clients prefer the first. Empty: the group is not served. */
export function versionsOf(definitions: readonly ResourceDefinition[], group: string): string[] {
  return [...new Set(definitions.filter((each) => each.group === group).map(({ version }) => version))];
}

/** Kinds of one version, sorted by plural name. */
export function kindsOf(
  definitions: readonly ResourceDefinition[],
  group: string,
  version: string,
): ResourceDefinition[] {
  return definitions
    .filter((each) => each.group === group && each.version === version)
    .sort((a, b) => compare(a.plural, b.plural));
}

/** Compares UTF-16 code units, which gives Go's byte order for names of resources. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
