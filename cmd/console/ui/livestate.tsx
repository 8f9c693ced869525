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
  const text =
    status === 'loading'
      ? texts.state.loading
      : status === 'stale'
        ? texts.state.stale
        : status === 'refused'
          ? `${texts.state.refused} ${error === undefined ? '' : messageOf(error, texts)}`
          : '';
  const look = isLine && status === 'loading' ? 'hint' : `notice ${status}`;
  return (
    <p role="status" className={text === '' ? 'visually-hidden' : look}>
      {text}
    </p>
  );
}
