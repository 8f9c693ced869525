import { useEffect, useRef, useState } from 'react';
import { NOTHING_FOUND, searchFilled, type Asked, type Found } from '../../client/filled/search.js';

export interface FilledSearch {
  readonly found: Found;
  /** `stopped`: the search ended before all instances were searched. */
  readonly state: 'unasked' | 'searching' | 'stopped' | 'done';
  readonly error: unknown;
  readonly start: (asked: Asked) => void;
  readonly stop: () => void;
}

/** A search through spaces and virtual clusters, which ends with the page. */
export function useFilledSearch(): FilledSearch {
  const [found, setFound] = useState(NOTHING_FOUND);
  const [state, setState] = useState<FilledSearch['state']>('unasked');
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = (asked: Asked): void => {
    running.current?.abort();
    const run = new AbortController();
    running.current = run;
    setFound(NOTHING_FOUND);
    setError(undefined);
    setState('searching');
    searchFilled(asked, run.signal, setFound).then(
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
