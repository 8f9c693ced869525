import type { LiveState } from '../live/livelist.js';
import { useTexts } from '../texts/texts.js';
import { LiveNote } from './livestate.js';
import { Page } from './page.js';

/** The page of an object that is not loaded yet, or does not exist. */
export function NotShown({ name, state }: { readonly name: string; readonly state: LiveState<unknown> }) {
  const texts = useTexts();
  return (
    <Page title={name}>
      <LiveNote state={state} />
      {state.status === 'live' && <p className="empty">{texts.state.notFound}</p>}
    </Page>
  );
}
