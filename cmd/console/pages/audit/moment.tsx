import { useLanguage } from '../../texts/texts.js';

/** A time with seconds, in the language and the time zone of the user. */
export function Moment({ at = '' }: { readonly at: string | undefined }) {
  const { language } = useLanguage();
  const time = Date.parse(at);
  if (Number.isNaN(time)) return null;
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <time dateTime={at} title={at}>
      {format.format(time)}
    </time>
  );
}
