import { useEffect, type ReactNode } from 'react';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../button.js';
import { MAX_ROWS } from './useallowedrows.js';
import type { Selection } from './useselection.js';

export interface Props {
  readonly selection: Pick<Selection<never>, 'setAll'> & { readonly selected: readonly unknown[] };
  /** What can be done with the selected items. */
  readonly children: ReactNode;
}

/** A bar above a list while some of its items are selected. */
export function Picked({ selection: { selected, setAll }, children }: Props) {
  const { lists } = useTexts();
  const isShown = selected.length > 0;
  useEffect(() => (isShown ? focusList : undefined), [isShown]);
  if (!isShown) return null;
  return (
    <div className="bar picked" role="group" aria-label={lists.selected(selected.length)}>
      <p role="status">{lists.selected(selected.length)}</p>
      {children}
      {selected.length > MAX_ROWS && <span className="hint">{lists.limit(MAX_ROWS)}</span>}
      <Button look="quiet" onPress={() => setAll([])}>
        {lists.clear}
      </Button>
    </div>
  );
}

/** The focus that was in the bar goes to the list. */
function focusList(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('.rows')?.focus();
}
