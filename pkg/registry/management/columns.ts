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
