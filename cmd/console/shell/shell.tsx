import { Link, Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTexts } from '../texts/texts.js';
import { Button } from '../ui/button.js';
import { AccountMenu } from './accountmenu.js';
import type { Action } from './actiondialog.js';
import { OfflineBanner } from './offline.js';
import { UndoOffer } from './undo.js';
import { usePages } from './usepages.js';

const Palette = lazy(async () => ({ default: (await import('./palette.js')).Palette }));
const ActionDialog = lazy(async () => ({ default: (await import('./actiondialog.js')).ActionDialog }));

/** What is around every page. */
export function Shell() {
  const texts = useTexts();
  const [palette, setPalette] = useState(false);
  const [action, setAction] = useState<Action>();
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setPalette(true);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <header className="top">
        <Link to="/" className="brand" activeOptions={{ exact: true }}>
          {texts.app}
        </Link>
        <Navigation />
        <div className="tools">
          <Button look="quiet" onPress={() => setPalette(true)} aria-keyshortcuts="Control+K Meta+K">
            {texts.shell.commands} <kbd aria-hidden="true">Ctrl K</kbd>
          </Button>
          <AccountMenu />
        </div>
      </header>
      <OfflineBanner />
      <main id="content">
        <Suspense fallback={<p className="notice">{texts.state.loading}</p>}>
          <Outlet />
        </Suspense>
      </main>
      <UndoOffer />
      {palette && (
        <Suspense fallback={null}>
          <Palette onClose={() => setPalette(false)} onAction={setAction} />
        </Suspense>
      )}
      {action !== undefined && (
        <Suspense fallback={null}>
          <ActionDialog action={action} onClose={() => setAction(undefined)} />
        </Suspense>
      )}
    </>
  );
}

const ACTIVE = { 'aria-current': 'page' as const };

function Navigation() {
  const texts = useTexts();
  const pages = usePages();
  return (
    <nav aria-label={texts.nav.label}>
      <ul>
        {pages.map(([to, name]) => (
          <li key={to}>
            <Link to={to} activeOptions={{ exact: to === '/' }} activeProps={ACTIVE}>
              {texts.nav[name]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
