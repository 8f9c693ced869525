/** Columns that many lists have. */
import type { Row } from '../../client/forms.js';
import type { Column } from './virtualrows.js';
import { When } from '../when.js';

/** Room for a time such as “16 seconds ago”. */
export const TIME_WIDTH = '8.6rem';
/** Room for a state in a word. */
export const STATE_WIDTH = '6.5rem';

/** A cell of the server's table, by the name of its column. */
export const cellColumn = (label: string, cell: string, width = '1fr'): Column<Row> => ({
  name: cell,
  label,
  width,
  cell: ({ cells }) => cells[cell],
  value: ({ cells }) => cells[cell] ?? '',
});

export const ageColumn = (label: string): Column<Row> => ({
  name: 'age',
  label,
  width: TIME_WIDTH,
  cell: ({ metadata }) => <When at={Date.parse(metadata.creationTimestamp ?? '')} />,
  value: ({ metadata }) => metadata.creationTimestamp ?? '',
});
