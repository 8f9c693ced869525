import { useSyncExternalStore } from 'react';
import { useTexts } from '../texts/texts.js';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

export function OfflineBanner() {
  const texts = useTexts();
  const online = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status" className={online ? 'visually-hidden' : 'banner'}>
      {online ? '' : texts.shell.offline}
    </div>
  );
}
