/** Forms in which answers are printed. */
import type { KubeObject } from '../../../api/resource.js';
import type { Table } from '../connection/client.js';
import { isObject } from '../../../pkg/apimachinery/encoding/members.js';
import { usage } from '../failure.js';
import { templateOf } from './jsonpath.js';
import { escaped, isPrintable } from './printable.js';

export type Write = (text: string) => void;

/** Rows under headings, in columns, without rules: a cell that is undefined or empty shows as nothing. */
export async function printColumns(
  headings: readonly string[],
  rows: readonly (readonly unknown[])[],
  write: Write,
): Promise<void> {
  const { default: Columns } = await import('cli-table3');
  const none = { mid: '', left: '', right: '', middle: '   ' };
  const edges = ['top', 'bottom', 'left', 'right'].flatMap((side) => {
    return ['', '-mid', '-left', '-right'].map((part): [string, string] => [side + part, '']);
  });
  const table = new Columns({
    chars: { ...Object.fromEntries(edges), ...none, 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  });
  if (headings.some((heading) => heading !== ''))
    table.push([...headings.map((heading) => textOf(heading).toUpperCase())]);
  for (const row of rows) table.push(row.map((cell) => textOf(cell)));
  write(table.toString().replace(/[ \t]+$/gm, '') + '\n');
}

/** A table of the server, as kubectl prints it. */
export async function printTable(table: Table, wide: boolean, write: Write): Promise<void> {
  const shown = table.columnDefinitions.flatMap(({ priority }, at) => (priority === 0 || wide ? [at] : []));
  const headings = shown.map((at) => table.columnDefinitions[at]?.name ?? '');
  await printColumns(
    headings,
    table.rows.map(({ cells }) => shown.map((at) => cells[at])),
    write,
  );
}

/**
 * Rows that come one after the other: the heading with the first, and columns as wide as the first rows need. Longer cells
 * move what is behind them.
 */
export function rowPrinter(
  write: Write,
): (headings: readonly string[], rows: readonly (readonly unknown[])[]) => void {
  let widths: readonly number[] | undefined;
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths?.[at] ?? 0))
      .join('   ')
      .trimEnd();
  return (headings, rows) => {
    const texts = rows.map((cells) => cells.map(textOf));
    const heading = headings.map((one) => textOf(one).toUpperCase());
    if (widths === undefined) {
      widths = heading.map((one, at) =>
        Math.max(one.length, ...texts.map((cells) => cells[at]?.length ?? 0)),
      );
      texts.unshift(heading);
    }
    for (const cells of texts) write(`${line(cells)}\n`);
  };
}

/** As kubectl does, of an object, of those of a list, and of that of a watch event. */
function withoutManagedFields(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { metadata, items, object } = value;
  return {
    ...value,
    ...(isObject(metadata) && { metadata: { ...metadata, managedFields: undefined } }),
    ...(Array.isArray(items) && { items: items.map(withoutManagedFields) }),
    ...(object !== undefined && { object: withoutManagedFields(object) }),
  };
}

/** `json` has two spaces and a stable order of members: that of the server, without managedFields. */
export async function printObject(format: 'json' | 'yaml', whole: unknown, write: Write): Promise<void> {
  const object = withoutManagedFields(whole);
  if (format === 'json') return write(`${escaped(JSON.stringify(object, null, 2))}\n`);
  const { Document, visit } = await import('yaml');
  // Readers may take it for YAML 1.1, in which a bare `n` is a boolean.
  const document = new Document(object, { version: '1.1' });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && !isPrintable(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  write(escaped(document.toString()));
}

/** The formats of `-o`. Throws Failure, usage, for any other, with these and the other formats of the command. */
export function chosenFormat<F extends string>(
  asked: string | undefined,
  offered: readonly F[],
  others: readonly string[] = [],
): F | undefined {
  if (asked === undefined) return undefined;
  const found = offered.find((format) => format === asked);
  if (found === undefined)
    throw usage(`-o ${asked} is not offered here: use ${[...offered, ...others].join(', ')}`);
  return found;
}

/** As {@link chosenFormat}, where -o may also be a template: undefined for that, too. */
export const formatUnlessTemplate = <F extends string>(
  asked: string | undefined,
  offered: readonly F[],
): F | undefined =>
  templateOf(asked) === undefined ? chosenFormat(asked, offered, ['jsonpath=TEMPLATE']) : undefined;

export const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? '';

function textOf(cell: unknown): string {
  const text =
    typeof cell === 'string' ? cell : cell === undefined || cell === null ? '' : JSON.stringify(cell);
  return text.replace(/[\t\n]/g, ' ');
}
