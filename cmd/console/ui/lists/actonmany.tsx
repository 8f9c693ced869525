import { useState, type ReactNode } from 'react';
import type { RowId } from '../../client/searchrows.js';
import { useTexts } from '../../texts/texts.js';
import { Button, type Props as ButtonProps } from '../button.js';
import { useAllowedRows } from './useallowedrows.js';

/** The number of objects that a dialog names, and has commands for. */
export const NAMED = 10;

export interface Props<Item> {
  readonly verb: 'patch' | 'delete';
  readonly rows: readonly Item[];
  readonly label: (count: number) => string;
  readonly look?: ButtonProps['look'];
  /** The dialog for those that were selected and allowed when it was opened. */
  readonly children: (rows: readonly Item[], onClose: () => void) => ReactNode;
}

/** A button for those of the selected rows that the user may act on, and why not for all. */
export function ActOnMany<Item extends RowId>({ verb, rows, label, look = 'plain', children }: Props<Item>) {
  const { lists } = useTexts();
  const [asked, setAsked] = useState<readonly Item[]>();
  const { allowed, refused, pending } = useAllowedRows(verb, rows);
  return (
    <>
      {allowed.length > 0 && !pending && (
        <Button look={look} onPress={() => setAsked(allowed)}>
          {label(allowed.length)}
        </Button>
      )}
      {pending && <span className="hint">{lists.pending}</span>}
      {!pending && refused > 0 && <span className="hint">{lists.mayNot[verb](refused)}</span>}
      {asked && children(asked, () => setAsked(undefined))}
    </>
  );
}
