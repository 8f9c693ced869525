import type { LiveState } from '../live/livelist.js';
import { useTexts } from '../texts/texts.js';
import { messageOf } from '../texts/messageof.js';

export interface Props {
  readonly state: LiveState<unknown>;
  /** While it loads no higher than a line of text, for what makes room for no more: nothing below it moves then. */
  readonly isLine?: boolean;
}

/** Whether what is shown is as the server has it. */
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
