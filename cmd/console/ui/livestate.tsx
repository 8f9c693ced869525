import type { LiveState } from '../live/livelist.js';
import { useTexts } from '../texts/texts.js';
import { messageOf } from '../texts/messageof.js';

/** Whether what is shown is as the server has it. */
export function LiveNote({ state }: { readonly state: LiveState<unknown> }) {
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
  return (
    <p role="status" className={text === '' ? 'visually-hidden' : `notice ${status}`}>
      {text}
    </p>
  );
}
