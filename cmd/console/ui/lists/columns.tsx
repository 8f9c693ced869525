/** Columns that many lists have. */
import type { Row } from '../../client/forms.js';
import type { Column } from './virtualrows.js';
import { When } from '../when.js';

/** A cell of the server's table, by the name of its column. */
export const cellColumn = (label: string, cell: string): Column<Row> => ({
  name: cell,
  label,
  cell: ({ cells }) => cells[cell],
  value: ({ cells }) => cells[cell] ?? '',
});

export const ageColumn = (label: string): Column<Row> => ({
  name: 'age',
  label,
  cell: ({ metadata }) => <When at={Date.parse(metadata.creationTimestamp ?? '')} />,
  value: ({ metadata }) => metadata.creationTimestamp ?? '',
});
