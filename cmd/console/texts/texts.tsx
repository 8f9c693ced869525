/** The language of the user. Each language is a file. */
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { en, type Texts } from './en.js';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const KEPT_AS = 'console.language';
const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(LANGUAGES, text);

function firstLanguage(): Language {
  const kept = localStorage.getItem(KEPT_AS);
  if (isLanguage(kept)) return kept;
  const wanted = navigator.languages.map((tag) => tag.split('-')[0] ?? '').find(isLanguage);
  return wanted ?? 'en';
}

/** English is bundled; another language is loaded when it is selected. */
const loaders: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: () => Promise.resolve(en),
  de: async () => (await import('./de.js')).de,
};

interface Chosen {
  readonly texts: Texts;
  readonly language: Language;
  readonly choose: (language: Language) => void;
}

const Context = createContext<Chosen>({ texts: en, language: 'en', choose: () => undefined });

export function TextsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  const [texts, setTexts] = useState<Texts | undefined>(language === 'en' ? en : undefined);
  useEffect(() => {
    let left = false;
    document.documentElement.lang = language;
    loaders[language]().then(
      (loaded) => left || setTexts(loaded),
      () => left || setTexts(en),
    );
    return () => void (left = true);
  }, [language]);
  const chosen = useMemo(
    () => ({
      texts: texts ?? en,
      language,
      choose(next: Language) {
        localStorage.setItem(KEPT_AS, next);
        setLanguage(next);
      },
    }),
    [texts, language],
  );
  if (texts === undefined) return null;
  return (
    <Context value={chosen}>
      <I18nProvider locale={language}>{children}</I18nProvider>
    </Context>
  );
}

export const useTexts = (): Texts => useContext(Context).texts;
export const useLanguage = (): Chosen => useContext(Context);
