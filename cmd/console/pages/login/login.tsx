import type { FormEvent } from 'react';
import { useEffect, useState } from 'react';
import type { Logins } from '../../session/session.js';
import { logIn } from '../../session/session.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { messageOf } from '../../texts/messageof.js';
import { TextField } from '../../ui/textfield.js';

/** Logging in. The key goes to the server once, and nowhere else. */
export function LoginPage({ providerLogin, tokenLogin }: Logins) {
  const texts = useTexts();
  const [key, setKey] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = `${texts.login.title} · ${texts.app}`;
  }, [texts]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const typed = key.trim();
    if (typed === '') return setError(tokenLogin ? texts.login.emptyToken : texts.login.empty);
    setBusy(true);
    setError(undefined);
    logIn(typed).catch((failure: unknown) => {
      setError(messageOf(failure, texts));
      setBusy(false);
    });
  };
  return (
    <main className="login" id="content">
      <h1>{texts.login.title}</h1>
      {providerLogin && (
        <>
          <a className="button main wide" href="/console/session/login">
            {texts.login.provider}
          </a>
          <p className="or">{texts.login.or}</p>
        </>
      )}
      <form onSubmit={submit} noValidate>
        <TextField
          label={tokenLogin ? texts.login.keyOrToken : texts.login.accessKey}
          hint={tokenLogin ? texts.login.tokenHint : texts.login.hint}
          type="password"
          value={key}
          onChange={setKey}
          errors={error === undefined ? [] : [error]}
          autoFocus
          mono
          required
        />
        <Button type="submit" look={providerLogin ? 'plain' : 'main'} isDisabled={busy}>
          {texts.login.submit}
        </Button>
      </form>
    </main>
  );
}
