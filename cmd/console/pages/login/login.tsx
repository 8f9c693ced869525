import { useEffect } from 'react';
import { serverName, type SessionState } from '../../session/session.js';
import { ServerHead } from '../../shell/serverhead.js';
import { useTexts } from '../../texts/texts.js';
import { messageOf } from '../../texts/messageof.js';
import { LoginForm } from './loginform.js';

/** The login page. */
export function LoginPage({ providerLogin, tokenLogin, docs, linkRefused }: SessionState) {
  const texts = useTexts();
  const { login } = texts;
  useEffect(() => {
    document.title = `${texts.login.title} · ${texts.app}`;
  }, [texts]);
  return (
    <main className="login" id="content">
      <ServerHead />
      <h1>{texts.login.title}</h1>
      <p>{login.about(serverName())}</p>
      {linkRefused !== undefined && (
        <div role="alert" className="notice bad">
          {messageOf(linkRefused, texts)}
        </div>
      )}
      <LoginForm providerLogin={providerLogin} tokenLogin={tokenLogin} />
      <h2>{login.noKey}</h2>
      <p className="hint">{login.askForKey}</p>
      <p className="hint">
        {login.byCommand} <code>platform console</code>
      </p>
      {docs && (
        <p className="hint">
          <a href="/docs/">{login.docs}</a>
        </p>
      )}
    </main>
  );
}
