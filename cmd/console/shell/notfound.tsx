import { Link } from '@tanstack/react-router';
import { useTexts } from '../texts/texts.js';
import { Page } from '../ui/page.js';

export function NotFound() {
  const texts = useTexts();
  return (
    <Page title={texts.state.pageNotFound}>
      <Link to="/">{texts.state.home}</Link>
    </Page>
  );
}
