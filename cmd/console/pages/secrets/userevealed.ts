import { useCallback, useEffect, useState } from 'react';

/** How long a value is shown. */
const SHOWN_SECONDS = 30;

export interface Revealed {
  readonly value: string | undefined;
  /** The seconds until the value is hidden. */
  readonly seconds: number;
  readonly show: () => Promise<void>;
  readonly hide: () => void;
}

/**
 * A value that is shown for half a minute, and hidden at once when the user switches to another tab. `version`: of the
 * object; the value is also hidden when it has changed since.
 */
export function useRevealed(read: () => Promise<string>, version: string): Revealed {
  const [value, setValue] = useState<string>();
  const [seconds, setSeconds] = useState(SHOWN_SECONDS);
  const hide = useCallback(() => setValue(undefined), []);
  const shown = value !== undefined;
  useEffect(() => {
    if (!shown) return;
    const until = Date.now() + SHOWN_SECONDS * 1000;
    const timer = setInterval(() => {
      const rest = Math.ceil((until - Date.now()) / 1000);
      if (rest <= 0) hide();
      else setSeconds(rest);
    }, 250);
    const look = (): void => {
      if (document.visibilityState === 'hidden') hide();
    };
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [shown, hide]);
  useEffect(() => hide, [version, hide]);
  const show = async (): Promise<void> => {
    const text = await read();
    setSeconds(SHOWN_SECONDS);
    setValue(text);
  };
  return { value, seconds, show, hide };
}
