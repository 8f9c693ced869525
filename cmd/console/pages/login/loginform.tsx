import { useState, type FormEvent } from 'react';
import { logIn, type Logins } from '../../session/session.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { messageOf } from '../../texts/messageof.js';
import { TextField } from '../../ui/fields/textfield.js';

export interface Props extends Pick<Logins, 'providerLogin' | 'tokenLogin'> {
  /** Whether the page stays open: then the login page of the identity provider opens in another tab. */
  readonly stays?: boolean;
}

/** The login methods. The access key is sent only to the server, once. */
export function LoginForm({ providerLogin, tokenLogin, stays = false }: Props) {
  const texts = useTexts();
  const [key, setKey] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
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
    <>
      {providerLogin && (
        <>
          <a
            className="button main wide"
            href="/console/session/login"
            {...(stays && { target: '_blank', rel: 'noreferrer' })}
          >
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
    </>
  );
}
