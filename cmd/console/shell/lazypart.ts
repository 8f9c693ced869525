/** Parts of the console that are loaded on demand, also while the server is away. */
import { lazy, type ComponentType, type LazyExoticComponent, type ReactNode } from 'react';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
/** A page that was loaded anew so recently, and still lacks a part, shows the error. */
const LOADED_ANEW = 'loaded-anew';
const AGAIN_AFTER_MS = 10_000;

let away = false;
const listeners = new Set<() => void>();

/** Whether a part did not come, and the server has not answered since. */
export const isServerAway = (): boolean => away;

export function onServerAway(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function setAway(now: boolean): void {
  away = now;
  for (const listener of listeners) listener();
}

/** The component of that name in a module. It waits while the server is away. `preload` loads it before it is shown, and waits for nothing. */
export function lazyPart<Name extends string, Props>(
  load: () => Promise<Readonly<Record<Name, (props: Props) => ReactNode>>>,
  name: Name,
): LazyExoticComponent<ComponentType<Props>> & { preload(): Promise<void> } {
  const part = lazy<ComponentType<Props>>(async () => ({ default: (await arriving(load))[name] }));
  const preload = (): Promise<void> =>
    load().then(
      () => undefined,
      () => undefined,
    );
  return Object.assign(part, { preload });
}

/**
 * Asks again when the server answers. What does not come then either is of another version of the server, or remembered by
 * the browser as missing: the page is loaded anew.
 */
async function arriving<T>(load: () => Promise<T>): Promise<T> {
  const first = await settledLoad(load);
  if ('loaded' in first) return first.loaded;
  setAway(true);
  await serverAnswers();
  setAway(false);
  const second = await settledLoad(load);
  if ('loaded' in second) return second.loaded;
  if (Date.now() - Number(sessionStorage.getItem(LOADED_ANEW)) < AGAIN_AFTER_MS) throw second.error;
  sessionStorage.setItem(LOADED_ANEW, String(Date.now()));
  window.location.reload();
  return new Promise<never>(() => undefined);
}

const settledLoad = <T>(
  load: () => Promise<T>,
): Promise<{ readonly loaded: T } | { readonly error: unknown }> =>
  load().then(
    (loaded) => ({ loaded }),
    (error: unknown) => ({ error }),
  );

async function serverAnswers(): Promise<void> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    // A proxy before a server that is away answers, too: 502.
    const answer = await fetch('/console/session').catch(() => undefined);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
