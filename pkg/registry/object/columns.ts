import type { TableColumn } from '../strategy.js';

/** `Age`, the time since creation as kubectl prints it. */
export function ageColumn(humanAge: (from: number, now: number) => string): TableColumn {
  return {
    name: 'Age',
    type: 'string',
    format: '',
    description:
      'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations.',
    priority: 0,
    cell: ({ metadata }, now) =>
      metadata.creationTimestamp === undefined
        ? '<unknown>'
        : humanAge(Date.parse(metadata.creationTimestamp), now),
  };
}

/** `Created At`, the only column after Name for kinds without columns in Kubernetes. */
export const createdAtColumn: TableColumn = {
  name: 'Created At',
  type: 'date',
  format: '',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.',
  priority: 0,
  // Go's zero time, in the bookmarks of watches.
  cell: ({ metadata }) => metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
};
