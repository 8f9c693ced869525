import { useSyncExternalStore } from 'react';

/** One clock for all times on the page. */
const EVERY_MS = 30_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** ms since 1970; moves every half a minute. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
