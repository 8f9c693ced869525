import type { ReactNode } from 'react';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../button.js';
import type { Selection } from './useselection.js';

export interface Props {
  readonly selection: Pick<Selection<never>, 'setAll'> & { readonly selected: readonly unknown[] };
  /** What can be done with the selected items. */
  readonly children: ReactNode;
}

/** A bar above a list while some of its items are selected. */
export function Picked({ selection: { selected, setAll }, children }: Props) {
  const { lists } = useTexts();
  if (selected.length === 0) return null;
  return (
    <div className="bar picked" role="group" aria-label={lists.selected(selected.length)}>
      <p role="status">{lists.selected(selected.length)}</p>
      {children}
      <Button look="quiet" onPress={() => setAll([])}>
        {lists.clear}
      </Button>
    </div>
  );
}
