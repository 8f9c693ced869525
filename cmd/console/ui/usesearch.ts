import { useEffect, useRef, useState } from 'react';

export interface Search<Asked, Found> {
  readonly found: Found;
  /** `stopped`: the search ended before all was searched. */
  readonly state: 'unasked' | 'searching' | 'stopped' | 'done';
  readonly error: unknown;
  readonly start: (asked: Asked) => void;
  readonly stop: () => void;
}

/** Reports the results so far, and ends early if `signal` is aborted. */
type Run<Asked, Found> = (asked: Asked, signal: AbortSignal, tell: (found: Found) => void) => Promise<void>;

/** A search of many requests that somebody starts, and that ends with the page. */
export function useSearch<Asked, Found>(search: Run<Asked, Found>, nothing: Found): Search<Asked, Found> {
  const [found, setFound] = useState(nothing);
  const [state, setState] = useState<Search<Asked, Found>['state']>('unasked');
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = (asked: Asked): void => {
    running.current?.abort();
    const run = new AbortController();
    running.current = run;
    setFound(nothing);
    setError(undefined);
    setState('searching');
    search(asked, run.signal, setFound).then(
      () => setState('done'),
      (failed: unknown) => {
        if (run.signal.aborted) return;
        // Cancels the other requests of this search.
        run.abort();
        setError(failed);
        setState('stopped');
      },
    );
  };
  const stop = (): void => {
    running.current?.abort();
    setState('stopped');
  };
  return { found, state, error, start, stop };
}
