import { useEffect, useState } from 'react';
import { loginCommand } from '../../client/commands/pagecommands.js';
import { beginLogin, readInvitation, takeAccessKey, type Invited } from '../../client/invitations.js';
import { ApiError } from '../../client/status.js';
import { leaveInvitation, logIn, serverName } from '../../session/session.js';
import { ServerHead } from '../../shell/serverhead.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Facts } from '../../ui/facts.js';
import { Fault } from '../../ui/fault.js';
import { useSubmit } from '../../ui/usesubmit.js';
import { At } from '../../ui/when.js';
import { KeyValue } from '../accesskeys/keyvalue.js';

export interface Props {
  readonly code: string;
  /** Who is logged in to this browser. */
  readonly user: string | undefined;
}

/** The page of an invitation: it says as whom it invites, and changes nothing until the person accepts. */
export function InvitationPage({ code, user }: Props) {
  const { app, state, invitation: texts } = useTexts();
  const [invited, setInvited] = useState<Invited>();
  const [error, setError] = useState<unknown>();
  const [key, setKey] = useState<string>();
  useEffect(() => {
    document.title = `${texts.title} · ${app}`;
  }, [texts, app]);
  const read = (): void => {
    setError(undefined);
    readInvitation(code).then(setInvited, setError);
  };
  useEffect(read, [code]);
  const isOver = error instanceof ApiError && error.code === 401;
  const opened = isOver ? texts.over : texts.title;
  const heading = key === undefined ? opened : texts.welcome(invited?.user ?? '');
  return (
    <main className="login" id="content">
      <ServerHead />
      <h1>{heading}</h1>
      {key !== undefined && <FirstKey value={key} />}
      {key === undefined && invited !== undefined && (
        <Question code={code} invited={invited} user={user} onKey={setKey} />
      )}
      {isOver ? (
        <p role="alert" className="notice bad">
          {texts.overWhy}
        </p>
      ) : (
        <Fault error={error} />
      )}
      {isOver && <Button onPress={leaveInvitation}>{texts.toLogin}</Button>}
      {error !== undefined && !isOver && <Button onPress={read}>{state.retry}</Button>}
    </main>
  );
}

interface QuestionProps extends Props {
  readonly invited: Invited;
  readonly onKey: (key: string) => void;
}

function Question({ code, invited, user, onKey }: QuestionProps) {
  const { invitation: texts } = useTexts();
  const { displayName = '', invitedBy, expires, byLogin, byAccessKey } = invited;
  const login = useSubmit(
    () => beginLogin(code),
    (location) => window.location.assign(location),
  );
  const take = useSubmit(() => takeAccessKey(code), onKey);
  const busy = login.busy || take.busy;
  return (
    <>
      <p>{texts.about}</p>
      <Facts
        facts={[
          [texts.server, serverName()],
          [texts.user, displayName === '' ? invited.user : `${invited.user} (${displayName})`],
          [texts.invitedBy, invitedBy],
          [texts.expires, <At key="expires" at={Date.parse(expires)} />],
        ]}
      />
      {user !== undefined && <p className="notice">{texts.loggedIn(user)}</p>}
      <p className="hint">{texts.advice}</p>
      {byLogin && (
        <Button look="main" isDisabled={busy} onPress={login.submit}>
          {texts.byLogin}
        </Button>
      )}
      {byAccessKey && (
        <Button look={byLogin ? 'plain' : 'main'} isDisabled={busy} onPress={take.submit}>
          {texts.byAccessKey}
        </Button>
      )}
      <Fault error={login.error ?? take.error} />
    </>
  );
}

function FirstKey({ value }: { readonly value: string }) {
  const { invitation: texts } = useTexts();
  const go = useSubmit(() => logIn(value), leaveInvitation);
  return (
    <>
      <p>{texts.keyOnce}</p>
      <KeyValue value={value} />
      <p className="hint">
        {texts.byCommand} <code>{loginCommand(window.location.origin)}</code>
      </p>
      <Button look="main" isDisabled={go.busy} onPress={go.submit}>
        {texts.toConsole}
      </Button>
      <Fault error={go.error} />
    </>
  );
}
