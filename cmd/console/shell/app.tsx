import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { forgetLists } from '../live/uselive.js';
import { onSession, readSession, sessionState } from '../session/session.js';
import { TextsProvider, useTexts } from '../texts/texts.js';
import { Button } from '../ui/button.js';
import { messageOf } from '../texts/messageof.js';
import { offerUndo } from '../ui/undostore.js';
import { router } from './router.js';

const LoginPage = lazy(async () => ({ default: (await import('../pages/login/login.js')).LoginPage }));

const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 10_000 } } });

/** Whoever is not logged in sees nothing but the login; whoever comes after another starts with an empty memory. */
function Gate() {
  const texts = useTexts();
  const state = useSyncExternalStore(onSession, sessionState);
  const [error, setError] = useState<unknown>();
  const begin = (): void => {
    setError(undefined);
    readSession().catch(setError);
  };
  useEffect(begin, []);
  const user = state.session?.user;
  useEffect(
    () => () => {
      forgetLists();
      offerUndo(undefined);
      queries.clear();
    },
    [user],
  );
  if (error !== undefined)
    return (
      <main className="centre">
        <p role="alert">{messageOf(error, texts)}</p>
        <Button onPress={begin}>{texts.state.retry}</Button>
      </main>
    );
  if (state.session === undefined) return <p className="centre">{texts.state.loading}</p>;
  if (state.session === null) return <LoginPage {...state} />;
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} key={user} />
    </QueryClientProvider>
  );
}

export const App = () => (
  <TextsProvider>
    <Suspense fallback={null}>
      <Gate />
    </Suspense>
  </TextsProvider>
);
