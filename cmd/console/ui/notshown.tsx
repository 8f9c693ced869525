import type { LiveState } from '../live/livelist.js';
import { useTexts } from '../texts/texts.js';
import { LiveNote } from './livestate.js';
import { Page } from './page.js';

/** The page of an object that is not there yet, or not at all. */
export function NotShown({ name, state }: { readonly name: string; readonly state: LiveState<unknown> }) {
  const texts = useTexts();
  return (
    <Page title={name}>
      <LiveNote state={state} />
      {state.status === 'live' && <p className="empty">{texts.state.notFound}</p>}
    </Page>
  );
}
