import { useLanguage } from '../texts/texts.js';
import { exact, relative } from '../texts/times.js';
import { useNow } from './usenow.js';

/** A time, in ms since 1970, as it is from now; the exact one is its title. */
export function When({ at }: { readonly at: number }) {
  const { language } = useLanguage();
  const now = useNow();
  if (Number.isNaN(at)) return null;
  // The clock of the page moves now and then: what came since is of now, not to come.
  const from = at > now ? Math.max(now, Math.min(at, Date.now())) : now;
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at, language)}>
      {relative(at, from, language)}
    </time>
  );
}
