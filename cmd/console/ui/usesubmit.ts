import { useState } from 'react';

export interface Submit {
  readonly submit: () => void;
  /** Until it has failed; what was done is not done again. */
  readonly busy: boolean;
  /** With which it was rejected last. */
  readonly error: unknown;
}

/**
 * Sends something once at a time, tells `onDone` what it resolved with, and keeps what it was rejected with. `again`: whether
 * it can be sent once more when it is done.
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
