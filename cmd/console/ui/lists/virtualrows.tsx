import { memo, useEffect, useRef, type CSSProperties, type ReactNode } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';

export interface Column<Item> {
  readonly name: string;
  readonly label: string;
  readonly cell: (item: Item) => ReactNode;
  /** Whether narrow screens hide the column. */
  readonly wideOnly?: boolean;
}

export interface Props<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Called when the last rows become visible. */
  readonly onEnd?: () => void;
}

const ROW = 44;

const classOf = ({ wideOnly = false }: Pick<Column<never>, 'wideOnly'>): string =>
  wideOnly ? 'cell wide' : 'cell';

interface RowProps {
  readonly columns: readonly Column<never>[];
  readonly item: unknown;
  readonly index: number;
  /** The offset from the top, in px. */
  readonly start: number;
}

/** Links are expensive to render: a row that stays visible is not rendered again while the user scrolls. */
const VirtualRow = memo(function VirtualRow({ columns, item, index, start }: RowProps) {
  return (
    <div role="row" className="row" aria-rowindex={index + 2} style={{ transform: `translateY(${start}px)` }}>
      {columns.map((column) => (
        <div role="cell" className={classOf(column)} key={column.name}>
          {/* `memo` keeps no type parameter: VirtualRows gives columns that fit its items. */}
          {column.cell(item as never)}
        </div>
      ))}
    </div>
  );
});

/** A table that renders only the visible rows. Screen readers get the total number. */
export function VirtualRows<Item>({ label, columns, items, keyOf, onEnd }: Props<Item>) {
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
      <div role="table" aria-label={label} aria-rowcount={items.length + 1} data-columns={columns.length}>
        <div role="rowgroup" className="row-head">
          <div role="row" className="row" aria-rowindex={1}>
            {columns.map((column) => (
              <div role="columnheader" className={classOf(column)} key={column.name}>
                {column.label}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="row-body" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, key, start }) => (
            <VirtualRow key={key} columns={columns} item={items[index]} index={index} start={start} />
          ))}
        </div>
      </div>
    </div>
  );
}
