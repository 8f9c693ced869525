import { useRouter } from '@tanstack/react-router';
import { useTexts } from '../texts/texts.js';
import { Button } from '../ui/button.js';
import { Fault } from '../ui/fault.js';
import { Page } from '../ui/page.js';

/** Shown instead of a page that could not be loaded or rendered. */
export function PageFault({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  const { state } = useTexts();
  const router = useRouter();
  const again = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title={state.failed}>
      <Fault error={error} />
      <Button onPress={again}>{state.retry}</Button>
    </Page>
  );
}
