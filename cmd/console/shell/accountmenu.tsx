import { useState, useSyncExternalStore } from 'react';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { logOut, onSession, sessionState } from '../session/session.js';
import { LANGUAGES, useLanguage, useTexts, type Language } from '../texts/texts.js';
import { exact } from '../texts/times.js';
import { Button } from '../ui/button.js';
import { Choice } from '../ui/fields/choice.js';
import { Fault } from '../ui/fault.js';
import { setTheme, theme, type Theme } from './theme.js';

/** A menu with the user, the theme, the language and the logout. */
export function AccountMenu() {
  const texts = useTexts();
  const { session } = useSyncExternalStore(onSession, sessionState);
  const { language, choose } = useLanguage();
  const [look, setLook] = useState(theme);
  const [error, setError] = useState<unknown>();
  const changeLook = (next: Theme): void => {
    setTheme(next);
    setLook(next);
  };
  return (
    <DialogTrigger>
      <Button look="quiet" aria-label={`${texts.shell.account}: ${session?.user ?? ''}`}>
        <span className="initial" data-initial={[...(session?.user ?? '')][0]} />
        <span className="user">{session?.user}</span>
      </Button>
      <Popover className="popover" placement="bottom end">
        <Dialog className="menu" aria-label={texts.shell.account}>
          <p>
            <strong>{session?.user}</strong>
          </p>
          {session && (
            <p className="hint">{texts.shell.sessionEnds(exact(Date.parse(session.expires), language))}</p>
          )}
          <Choice label={texts.shell.theme} value={look} options={texts.shell.themes} onChange={changeLook} />
          <Choice<Language>
            label={texts.shell.languageLabel}
            value={language}
            options={LANGUAGES}
            onChange={choose}
          />
          <Fault error={error} />
          <Button onPress={() => void logOut().catch(setError)}>{texts.shell.logOut}</Button>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
