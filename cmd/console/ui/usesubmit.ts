import { useState } from 'react';

export interface Submit {
  readonly submit: () => void;
  /** Whether the request runs or has succeeded; it becomes false after a failure. */
  readonly busy: boolean;
  /** The error of the last request. */
  readonly error: unknown;
}

/**
 * Runs one submit at a time, calls `onDone` with its result, and keeps its error. `again`: whether it can be submitted
 * once more after a success.
 */
export function useSubmit<Result>(
  send: () => Promise<Result>,
  onDone: (result: Result) => void,
  again = false,
): Submit {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = (): void => {
    setBusy(true);
    setError(undefined);
    const done = (result: Result): void => {
      if (again) setBusy(false);
      onDone(result);
    };
    send().then(done, (failure: unknown) => {
      setError(failure);
      setBusy(false);
    });
  };
  return { submit, busy, error };
}
