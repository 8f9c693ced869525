import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { forgetLists, renewLists } from '../live/uselive.js';
import {
  beginSession,
  goOnByLink,
  logOut,
  onSession,
  readSession,
  sessionState,
} from '../session/session.js';
import { TextsProvider, useTexts } from '../texts/texts.js';
import { Button } from '../ui/button.js';
import { messageOf } from '../texts/messageof.js';
import { offerUndo } from '../ui/undostore.js';
import { router } from './router.js';
import { lazyPart } from './lazypart.js';
import { Waiting } from './waiting.js';
import { ServerHead } from './serverhead.js';

const LoginPage = lazyPart(() => import('../pages/login/login.js'), 'LoginPage');
const InvitationPage = lazyPart(() => import('../pages/login/invitation.js'), 'InvitationPage');
const LogInAgain = lazyPart(() => import('../pages/login/loginagain.js'), 'LogInAgain');

const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 10_000 } } });

/**
 * A user who is not logged in sees only the login page. After a change of the user, nothing in memory is kept. If a
 * session ends by itself, the page and what was typed stay behind the login dialog, for the same user.
 */
function Gate() {
  const texts = useTexts();
  const state = useSyncExternalStore(onSession, sessionState);
  const [error, setError] = useState<unknown>();
  const begin = (): void => {
    setError(undefined);
    beginSession().catch(setError);
  };
  useEffect(begin, []);
  useEffect(readAgainWhenShown, []);
  const user = state.session?.user ?? state.ended;
  useEffect(() => forgetAll, [user]);
  const waits = state.ended !== undefined;
  useEffect(() => (waits ? goOn : undefined), [waits]);
  if (error !== undefined)
    return (
      <main className="centre">
        <p role="alert">{messageOf(error, texts)}</p>
        <Button onPress={begin}>{texts.state.retry}</Button>
      </main>
    );
  if (state.session === undefined) return <p className="centre">{texts.state.loading}</p>;
  if (state.invitation !== undefined)
    return <InvitationPage code={state.invitation} user={state.session?.user} />;
  if (user === undefined) return <LoginPage {...state} />;
  if (state.byLink === true)
    return (
      <main className="login" id="content">
        <ServerHead />
        <h1>{texts.login.byLink(user)}</h1>
        <p>{texts.login.byLinkHint}</p>
        <Button look="main" onPress={goOnByLink}>
          {texts.login.goOn}
        </Button>
        <Button onPress={() => void logOut().catch(setError)}>{texts.shell.logOut}</Button>
      </main>
    );
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} key={user} />
      {waits && (
        <Suspense fallback={null}>
          <LogInAgain {...state} user={user} />
        </Suspense>
      )}
    </QueryClientProvider>
  );
}

function forgetAll(): void {
  forgetLists();
  offerUndo(undefined);
  queries.clear();
}

function goOn(): void {
  renewLists();
  void queries.invalidateQueries();
}

/** Reads the session again when the browser restores a page from its back/forward cache: the session may have ended. */
function readAgainWhenShown(): () => void {
  const shown = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) void readSession().catch(() => undefined);
  };
  window.addEventListener('pageshow', shown);
  return () => window.removeEventListener('pageshow', shown);
}

export const App = () => (
  <TextsProvider>
    <Suspense fallback={<Waiting className="centre" />}>
      <Gate />
    </Suspense>
  </TextsProvider>
);
