/** `platform list secrets -A`: shared secrets and those of projects, in one list. */
import type { Place, Table } from '../../connection/client.js';

/** The kinds of a place, in the order in which they are asked for. */
const KINDS: Readonly<Record<string, string>> = {
  sharedsecrets: 'SharedSecret',
  projectsecrets: 'ProjectSecret',
};

/** Columns that both kinds have. */
const COLUMNS = ['Name', 'Display Name', 'Entries', 'Owner', 'Age', 'Description'];

export const EVERY_SECRET: readonly Place[] = Object.keys(KINDS).map((resource) => ({ resource }));

/** A table of either kind with the columns of both, after its kind. */
export function withKind({ columnDefinitions, rows }: Table, { resource }: Place): Table {
  const kept = COLUMNS.map((name) => columnDefinitions.findIndex((column) => column.name === name));
  return {
    columnDefinitions: [{ name: 'Kind', priority: 0 }, ...kept.flatMap((at) => columnDefinitions[at] ?? [])],
    rows: rows.map(({ cells, ...row }) => ({
      ...row,
      cells: [KINDS[resource], ...kept.map((at) => cells[at])],
    })),
  };
}
