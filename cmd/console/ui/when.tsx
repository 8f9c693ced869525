import { useLanguage } from '../texts/texts.js';
import { exact, relative } from '../texts/times.js';
import { useNow } from './usenow.js';

/** A time, in ms since 1970, with its date. */
export function At({ at }: { readonly at: number }) {
  const { language } = useLanguage();
  if (Number.isNaN(at)) return null;
  return <time dateTime={new Date(at).toISOString()}>{exact(at, language)}</time>;
}

/** A time, in ms since 1970, relative to now; the tooltip is the exact time. */
export function When({ at }: { readonly at: number }) {
  const { language } = useLanguage();
  const now = useNow();
  if (Number.isNaN(at)) return null;
  // The clock of the page is updated periodically: a time shortly after it is shown as now, and not as a time in the
  // future.
  const from = at > now ? Math.max(now, Math.min(at, Date.now())) : now;
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at, language)}>
      {relative(at, from, language)}
    </time>
  );
}
