import { useEffect, useState } from 'react';

export interface Options {
  /** Whether it can be submitted once more after a success. */
  readonly again?: boolean;
  /** Whether it cannot be submitted. */
  readonly disabled?: boolean;
  /** Whether what it needs is still asked for. A submit waits for it, so that no key that was pressed is lost. */
  readonly asking?: boolean;
}

export interface Submit {
  readonly submit: () => void;
  /** Whether the request waits, runs or has succeeded; it becomes false after a failure. */
  readonly busy: boolean;
  /** The error of the last request. */
  readonly error: unknown;
}

/** Runs one submit at a time, calls `onDone` with its result, and keeps its error. */
export function useSubmit<Result>(
  send: () => Promise<Result>,
  onDone: (result: Result) => void,
  { again = false, disabled = false, asking = false }: Options = {},
): Submit {
  const [busy, setBusy] = useState(false);
  const [waits, setWaits] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = (): void => {
    const done = (result: Result): void => {
      if (again) setBusy(false);
      onDone(result);
    };
    send().then(done, (failure: unknown) => {
      setError(failure);
      setBusy(false);
    });
  };
  useEffect(() => {
    if (!waits || asking) return;
    setWaits(false);
    if (disabled) setBusy(false);
    else run();
  });
  const submit = (): void => {
    if (busy || disabled) return;
    setBusy(true);
    setError(undefined);
    if (asking) setWaits(true);
    else run();
  };
  return { submit, busy, error };
}
