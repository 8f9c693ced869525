import { memo, useEffect, useRef, type CSSProperties, type ReactNode } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useTexts } from '../../texts/texts.js';
import type { Selection } from './useselection.js';
import type { Sorting } from './usesearchtext.js';

export interface Column<Item> {
  readonly name: string;
  readonly label: string;
  /** Its track in the grid of a row; absent: {@link ANY_WIDTH}. On narrow screens all columns are as wide. */
  readonly width?: string;
  readonly cell: (item: Item) => ReactNode;
  /** What the items are sorted by; absent: the column does not sort. */
  readonly value?: (item: Item) => string;
}

export interface Props<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Called when the last rows become visible. */
  readonly onEnd?: () => void;
  readonly sorting?: Sorting | undefined;
  /** Absent: the table cannot be sorted. */
  readonly onSort?: (by: string) => void;
  /** Absent: rows cannot be selected. */
  readonly selection?: Selection<Item>;
  /** The name of an item, for the label of its checkbox. */
  readonly nameOf?: (item: Item) => string;
}

const ROW = 44;
const ANY_WIDTH = '1fr';

/** The first column stays in sight on narrow screens, where the others scroll. */
const classOf = (at: number): string => (at === 0 ? 'cell first' : 'cell');

interface RowProps {
  readonly columns: readonly Column<never>[];
  readonly item: unknown;
  readonly index: number;
  /** The offset from the top, in px. */
  readonly start: number;
  readonly itemKey: string;
  readonly name: string;
  readonly isSelected: boolean;
  readonly onSelect: ((key: string, isSelected: boolean) => void) | undefined;
}

/** Links are expensive to render: a row that stays visible is not rendered again while the user scrolls. */
const VirtualRow = memo(function VirtualRow({ columns, item, index, start, ...row }: RowProps) {
  const { lists } = useTexts();
  const { itemKey, name, isSelected, onSelect } = row;
  return (
    <div
      role="row"
      className="row"
      aria-rowindex={index + 2}
      data-selected={onSelect && isSelected}
      style={{ transform: `translateY(${start}px)` }}
    >
      {onSelect && (
        <div role="cell" className="cell pick">
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={lists.select(name)}
            onChange={({ target }) => onSelect(itemKey, target.checked)}
          />
        </div>
      )}
      {columns.map((column, at) => (
        <div role="cell" className={classOf(at)} key={column.name}>
          {/* `memo` keeps no type parameter: VirtualRows gives columns that fit its items. */}
          {column.cell(item as never)}
        </div>
      ))}
    </div>
  );
});

/** A table that renders only the visible rows. Screen readers get the total number. */
export function VirtualRows<Item>(props: Props<Item>) {
  const { label, columns, items, keyOf, onEnd, selection, nameOf } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
    getItemKey: (at) => {
      const item = items[at];
      return item === undefined ? at : keyOf(item);
    },
  });
  const last = rows.getVirtualItems().at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= items.length - 1) onEnd?.();
    // Called once for each last row, even if the function changes.
  }, [last, items.length]);
  return (
    <div
      className="rows"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={label}
      // React's types do not include custom properties.
      style={{ '--rows': items.length + 1 } as CSSProperties}
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={items.length + 1}
        // As above.
        style={{ '--columns': columns.map(({ width = ANY_WIDTH }) => width).join(' ') } as CSSProperties}
        data-picks={selection !== undefined}
      >
        <Head {...props} />
        <div role="rowgroup" className="row-body" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const item = items[index];
            const itemKey = String(key);
            return (
              <VirtualRow
                key={key}
                columns={columns}
                item={item}
                index={index}
                start={start}
                itemKey={itemKey}
                name={item === undefined ? '' : (nameOf?.(item) ?? '')}
                isSelected={selection?.has(itemKey) === true}
                onSelect={selection?.set}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The names of the columns, which sort, and a checkbox for all items. */
function Head<Item>({ columns, items, sorting, onSort, selection }: Props<Item>) {
  const { lists } = useTexts();
  const isAll = selection !== undefined && items.length > 0 && selection.selected.length === items.length;
  return (
    <div role="rowgroup" className="row-head">
      <div role="row" className="row" aria-rowindex={1}>
        {selection && (
          <div role="columnheader" className="cell pick">
            <input
              type="checkbox"
              checked={isAll}
              aria-label={lists.selectAll}
              onChange={({ target }) => selection.setAll(target.checked ? items : [])}
            />
          </div>
        )}
        {columns.map((column, at) => {
          const order =
            sorting?.by !== column.name ? 'none' : sorting.descending ? 'descending' : 'ascending';
          return (
            <div
              role="columnheader"
              className={classOf(at)}
              key={column.name}
              aria-sort={onSort && column.value && order}
            >
              {onSort === undefined || column.value === undefined ? (
                column.label
              ) : (
                <button type="button" className="sort" onClick={() => onSort(column.name)}>
                  {column.label}
                </button>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
