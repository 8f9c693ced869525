import { useEffect } from 'react';
import type { Logins } from '../../session/session.js';
import { useTexts } from '../../texts/texts.js';
import { LoginForm } from './loginform.js';

/** The login page. */
export function LoginPage({ providerLogin, tokenLogin }: Logins) {
  const texts = useTexts();
  useEffect(() => {
    document.title = `${texts.login.title} · ${texts.app}`;
  }, [texts]);
  return (
    <main className="login" id="content">
      <h1>{texts.login.title}</h1>
      <LoginForm providerLogin={providerLogin} tokenLogin={tokenLogin} />
    </main>
  );
}
