import { useState } from 'react';
import { grantsOf, withShare } from '../../client/access.js';
import { shareCommand } from '../../client/actioncommands.js';
import type { SecretView } from '../../client/secrets.js';
import { changeSecret } from '../../client/secrets.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Radios } from '../../ui/choice.js';
import { Commands } from '../../ui/commands.js';
import { Dialog } from '../../ui/dialog.js';
import { Fault } from '../../ui/fault.js';
import { TextField } from '../../ui/textfield.js';
import { namesOf } from '../../ui/names.js';
import { undoably } from '../../ui/undostore.js';
import { useSubmit } from '../../ui/usesubmit.js';
import { Grants } from './access.js';

const VERBS = { read: ['get'], edit: ['get', 'patch', 'update'], all: ['*'] } as const;
type Level = keyof typeof VERBS;

/** Gives users and teams rights, and shows who will have which before it is done. */
export function ShareDialog({
  secret,
  onClose,
}: {
  readonly secret: SecretView;
  readonly onClose: () => void;
}) {
  const texts = useTexts();
  const [users, setUsers] = useState('');
  const [teams, setTeams] = useState('');
  const [level, setLevel] = useState<Level>('read');
  const { name = '' } = secret.metadata;
  const share = { users: namesOf(users), teams: namesOf(teams), verbs: VERBS[level] };
  const nobody = share.users.length + share.teams.length === 0;
  const access = nobody ? secret.access : withShare(secret.access, share);
  const { submit, busy, error } = useSubmit(
    () => undoably(texts.undo.shared(name), changeSecret(secret, { access })),
    onClose,
  );
  return (
    <Dialog title={texts.secrets.shareTitle(name)} onClose={onClose}>
      <TextField
        label={texts.secrets.users}
        hint={texts.secrets.namesHint}
        value={users}
        onChange={setUsers}
        errors={causesOf(error, 'spec.access')}
        autoFocus
      />
      <TextField label={texts.secrets.teams} value={teams} onChange={setTeams} />
      <Radios label={texts.secrets.rights} value={level} options={texts.secrets.verbs} onChange={setLevel} />
      <h3>{texts.secrets.result}</h3>
      <Grants grants={grantsOf({ ...secret, access })} before={grantsOf(secret)} />
      {!nobody && <Commands lines={[shareCommand(secret.metadata, share)]} />}
      <Fault error={error} shown={['spec.access']} />
      <div className="buttons">
        <Button onPress={onClose}>{texts.actions.cancel}</Button>
        <Button look="main" isDisabled={busy || nobody} onPress={submit}>
          {texts.secrets.share}
        </Button>
      </div>
    </Dialog>
  );
}
