import { Link, Outlet } from '@tanstack/react-router';
import { Suspense, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { useTexts } from '../texts/texts.js';
import { Button } from '../ui/button.js';
import { AccountMenu } from './accountmenu.js';
import type { Action } from './actiondialog.js';
import { Navigation } from './navigation.js';
import { ServerIdentity } from './server.js';
import { ServerSign } from './serverhead.js';
import { Waiting } from './waiting.js';
import { UndoOffer } from './undo.js';
import { isServerAway, lazyPart, onServerAway } from './lazypart.js';

const Palette = lazyPart(() => import('./palette.js'), 'Palette');
const ActionDialog = lazyPart(() => import('./actiondialog.js'), 'ActionDialog');

/** The frame around every page. */
export function Shell() {
  const texts = useTexts();
  const [palette, setPalette] = useState(false);
  const [action, setAction] = useState<Action>();
  const [menu, setMenu] = useState(false);
  // Before the page is painted: who sees it may press the keys.
  useLayoutEffect(() => {
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
          <ServerSign />
          {texts.app}
        </Link>
        <div className="find">
          <Button onPress={() => setPalette(true)} aria-keyshortcuts="Control+K Meta+K">
            {texts.shell.commands} <kbd aria-hidden="true">{texts.shell.commandsKeys}</kbd>
          </Button>
        </div>
        <div className="menu-button">
          <Button look="quiet" aria-expanded={menu} aria-controls="menu" onPress={() => setMenu(!menu)}>
            <span aria-hidden="true">☰</span> {texts.shell.menu}
          </Button>
        </div>
        <Navigation isOpen={menu} onToggle={setMenu} />
        <ServerIdentity />
        <div className="account">
          <AccountMenu />
        </div>
      </header>
      <OfflineBanner />
      <main id="content">
        <Suspense fallback={<Waiting />}>
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

function subscribe(listener: () => void): () => void {
  const stop = onServerAway(listener);
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    stop();
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

function OfflineBanner() {
  const texts = useTexts();
  const online = useSyncExternalStore(subscribe, () => navigator.onLine && !isServerAway());
  return (
    <div role="status" className={online ? 'visually-hidden' : 'banner'}>
      {online ? '' : texts.shell.offline}
    </div>
  );
}
