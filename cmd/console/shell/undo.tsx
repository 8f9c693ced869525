import { useEffect, useState, useSyncExternalStore } from 'react';
import { ApiError } from '../client/status.js';
import type { Texts } from '../texts/en.js';
import { useTexts } from '../texts/texts.js';
import { Button } from '../ui/button.js';
import { messageOf } from '../texts/messageof.js';
import { offeredUndo, OFFERED_MS, offerUndo, onUndo, type Offered } from '../ui/undostore.js';

/**
 * Describes the last change, and offers to undo it by a button, or by Ctrl Z outside of text fields. It stays while it
 * has the focus.
 */
export function UndoOffer() {
  const texts = useTexts();
  const offered = useSyncExternalStore(onUndo, offeredUndo);
  const [told, setTold] = useState('');
  const undo = (it: Offered): void => {
    offerUndo(undefined);
    it.undo().then(
      () => setTold(texts.undo.undone),
      (error: unknown) => setTold(textOf(error, texts)),
    );
  };
  useEffect(() => {
    if (offered === undefined) return;
    setTold('');
    const press = (event: KeyboardEvent): void => {
      const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
      if (!isUndo || isTyping(event.composedPath()[0])) return;
      event.preventDefault();
      undo(offered);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [offered]);
  const [held, setHeld] = useState(false);
  const shown = offered !== undefined || told !== '';
  useEffect(() => {
    if (held || !shown) return;
    const timer = setTimeout(() => {
      offerUndo(undefined);
      setTold('');
    }, OFFERED_MS);
    return () => clearTimeout(timer);
  }, [offered, held, shown]);
  return (
    <section
      className={shown ? 'undo' : 'visually-hidden'}
      aria-label={texts.undo.undo}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
    >
      <p role="status">{offered?.text ?? told}</p>
      {offered !== undefined && (
        <Button look="quiet" aria-keyshortcuts="Control+Z Meta+Z" onPress={() => undo(offered)}>
          {texts.undo.undo}
        </Button>
      )}
    </section>
  );
}

const textOf = (error: unknown, texts: Texts): string =>
  error instanceof ApiError && error.reason !== 'Conflict' ? messageOf(error, texts) : texts.undo.changed;

const isTyping = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable="true"]');
