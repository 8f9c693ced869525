import { useSyncExternalStore } from 'react';

/** All times on the page use one clock. */
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

/** The current time in ms since 1970; it is updated every 30 seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
