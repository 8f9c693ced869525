import type { KubeObject } from '../../api/resource.js';
import { textIn } from '../apimachinery/encoding/members.js';
import { humanAge } from '../apimachinery/table.js';
import type { TableColumn } from '../registry/strategy.js';

/** A text column. */
export function textColumn<T extends KubeObject = KubeObject>(
  name: string,
  description: string,
  text: (object: T) => string,
  priority = 0,
): TableColumn<T> {
  return { name, type: 'string', format: '', description, priority, cell: text };
}

const specText = ({ spec }: KubeObject, name: string): string => textIn(spec, name) ?? '';

export const displayNameColumn = textColumn('Display Name', 'The name shown in the UI.', (object) =>
  specText(object, 'displayName'),
);

/** Shown in wide tables. */
export const descriptionColumn = textColumn(
  'Description',
  'What the object is for.',
  (object) => specText(object, 'description'),
  1,
);

/** When what an object stands for expires: `in 23h`. `end`: RFC 3339. */
export function expiresColumn<T extends KubeObject>(
  description: string,
  end: (object: T) => string | undefined,
): TableColumn<T> {
  const cell = (object: T, now: number): string => {
    const at = Date.parse(end(object) ?? '');
    if (Number.isNaN(at)) return '<unknown>';
    return at <= now ? 'expired' : `in ${humanAge(now, at)}`;
  };
  return { name: 'Expires', type: 'string', format: '', description, priority: 0, cell };
}
