import type { ReactNode } from 'react';

interface TableRow {
  readonly key: string;
  readonly cells: readonly ReactNode[];
}

export interface Props {
  /** The id of the element that labels the table. */
  readonly labelledBy: string;
  readonly heads: readonly string[];
  readonly rows: readonly TableRow[];
}

/** A short table, which scrolls horizontally if it is too wide. */
export const Table = ({ labelledBy, heads, rows }: Props) => (
  <div className="scroll" tabIndex={0} role="group" aria-labelledby={labelledBy}>
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th scope="col" key={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, at) => (
              <td key={at} data-label={heads[at]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
