import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.js';
import { Button } from './button.js';
import type { Running } from './lists/useeach.js';

export interface Props {
  /** What runs on many objects; it is stopped instead of cancelled. */
  readonly running: Running | undefined;
  readonly onClose: () => void;
  /** The buttons that go on. */
  readonly children: ReactNode;
}

/** The end of a dialog: how far an action on many objects is, and the buttons. */
export function DialogButtons({ running, onClose, children }: Props) {
  const { actions } = useTexts();
  return (
    <>
      {running && <p className="hint">{running.progress}</p>}
      <div className="buttons">
        <Button onPress={running?.stop ?? onClose}>{running ? actions.stop : actions.cancel}</Button>
        {children}
      </div>
    </>
  );
}
