import { useSyncExternalStore } from 'react';
import { useTexts } from '../texts/texts.js';
import { isServerAway, onServerAway } from './lazypart.js';

/** Instead of a part of the console that is not there yet, also because the server is away. */
export function Waiting({ className = 'notice' }: { readonly className?: string }) {
  const { state } = useTexts();
  const away = useSyncExternalStore(onServerAway, isServerAway);
  return (
    <p role="status" className={className}>
      {away ? state.unreached : state.loading}
    </p>
  );
}
