import type { LiveState } from '../live/livelist.js';
import { useTexts } from '../texts/texts.js';
import { messageOf } from '../texts/messageof.js';

export interface Props {
  readonly state: LiveState<unknown>;
  /** Whether the note is at most one line high while it loads, so that the content below it does not move. */
  readonly isLine?: boolean;
}

/** Reports whether the content is up to date with the server. */
export function LiveNote({ state, isLine = false }: Props) {
  const texts = useTexts();
  const { status, error } = state;
  // What the user may not see is no fault.
  const isUnseen = status === 'refused' && (error?.code === 403 || error?.code === 404);
  const noted = {
    loading: error === undefined ? texts.state.loading : texts.state.unreached,
    live: '',
    stale: texts.state.stale,
    refused: isUnseen ? texts.state.refused : messageOf(error, texts),
  };
  const text = noted[status];
  const look = isUnseen || (isLine && status === 'loading') ? 'hint' : `notice ${status}`;
  return (
    <p role="status" className={text === '' ? 'visually-hidden' : look}>
      {text}
    </p>
  );
}
