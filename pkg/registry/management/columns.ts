import type { KubeObject } from '../../../api/resource.js';
import type { TableColumn } from '../strategy.js';

/** A column of texts. */
export function textColumn(
  name: string,
  description: string,
  text: (object: KubeObject) => string,
  priority = 0,
): TableColumn {
  return { name, type: 'string', format: '', description, priority, cell: text };
}

interface Described {
  readonly displayName?: string;
  readonly description?: string;
}

const specOf = (object: KubeObject): Described => (object.spec ?? {}) as Described;

export const displayNameColumn = textColumn(
  'Display Name',
  'The name shown in the UI.',
  (object) => specOf(object).displayName ?? '',
);

/** Shown in wide tables. */
export const descriptionColumn = textColumn(
  'Description',
  'What the object is for.',
  (object) => specOf(object).description ?? '',
  1,
);
