/** `platform list secrets -A`: shared secrets and those of projects, in one list. */
import type { Place, Table } from '../../connection/client.js';

/** Columns that both kinds have. */
const COLUMNS = ['Name', 'Display Name', 'Entries', 'Owner', 'Age', 'Description'];

/** In the order in which they are asked for. */
export const EVERY_SECRET: readonly Place[] = [{ resource: 'sharedsecrets' }, { resource: 'projectsecrets' }];

/** A table of either kind with the columns of both, after where each secret is. `prefix`: of namespaces of projects. */
export function withPlaces({ columnDefinitions, rows }: Table, { resource }: Place, prefix: string): Table {
  const kept = COLUMNS.map((name) => columnDefinitions.findIndex((column) => column.name === name));
  const placeOf = (namespace = ''): string =>
    resource === 'projectsecrets' && namespace.startsWith(prefix)
      ? `project ${namespace.slice(prefix.length)}`
      : `namespace ${namespace}`;
  return {
    columnDefinitions: [{ name: 'Place', priority: 0 }, ...kept.flatMap((at) => columnDefinitions[at] ?? [])],
    rows: rows.map(({ cells, ...row }) => ({
      ...row,
      cells: [placeOf(row.object?.metadata.namespace), ...kept.map((at) => cells[at])],
    })),
  };
}
