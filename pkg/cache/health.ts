import type { CacheHealth } from './interface.js';

/** Keeps {@link CacheHealth}. */
export interface HealthRecord {
  following(): void;
  failed(error: unknown): void;
  health(loaded: boolean): CacheHealth;
}

export function recordHealth(): HealthRecord {
  let following = false;
  let since = performance.now();
  let problem: string | undefined;

  function turn(to: boolean): void {
    if (following !== to) since = performance.now();
    following = to;
  }

  return {
    following() {
      turn(true);
      problem = undefined;
    },
    failed(error) {
      turn(false);
      problem = error instanceof Error ? error.message : 'unknown failure';
    },
    health: (loaded) => ({ loaded, following, sinceMs: performance.now() - since, problem }),
  };
}
