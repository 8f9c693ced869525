import type { KeyPair } from './issue.js';

export interface Renewal {
  stop(): void;
}

const CHECK_MS = 60 * 60 * 1000;

/**
 * Loads the serving certificate every hour and reports a changed one: a generated one is reissued before it expires,
 * an operator's is read again. Failures go to `failed`; the old certificate stays in use.
 */
export function renewServing(
  first: KeyPair,
  load: () => KeyPair | Promise<KeyPair>,
  use: (pair: KeyPair) => void,
  failed: (error: unknown) => void,
  everyMs = CHECK_MS,
): Renewal {
  let current = first;
  const check = async (): Promise<void> => {
    try {
      const next = await load();
      if (next.certificate === current.certificate && next.key === current.key) return;
      use(next);
      current = next;
    } catch (error) {
      failed(error);
    }
  };
  const timer = setInterval(() => void check(), everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
