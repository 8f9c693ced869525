import { useState } from 'react';
import { grantsOf, withShare } from '../../client/access.js';
import { shareCommand } from '../../client/commands/actioncommands.js';
import { changeSecret, type SecretView } from '../../client/secrets.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Radios } from '../../ui/fields/choice.js';
import { Commands } from '../../ui/commands.js';
import { Dialog } from '../../ui/dialog.js';
import { Fault } from '../../ui/fault.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { usePeople } from '../../ui/suggest/useoffers.js';
import { namesOf } from '../../ui/names.js';
import { undoably } from '../../ui/undostore.js';
import { useSubmit } from '../../ui/usesubmit.js';
import { Grants, SHARED_VERBS, type Level } from './access.js';

/** Gives users and teams rights, and shows the resulting grants before the change is applied. */
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
  const share = { users: namesOf(users), teams: namesOf(teams), verbs: SHARED_VERBS[level] };
  const nobody = share.users.length + share.teams.length === 0;
  const access = nobody ? secret.access : withShare(secret.access, share);
  const { submit, busy, error } = useSubmit(
    () => undoably(texts.undo.shared(name), changeSecret(secret, { access })),
    onClose,
  );
  return (
    <Dialog title={texts.secrets.shareTitle(name)} onClose={onClose}>
      <SuggestField
        label={texts.secrets.users}
        hint={texts.secrets.namesHint}
        value={users}
        onChange={setUsers}
        suggestions={usePeople('User')}
        autoFocus={true}
        several={true}
        errors={causesOf(error, 'spec.access')}
      />
      <SuggestField
        label={texts.secrets.teams}
        value={teams}
        onChange={setTeams}
        several={true}
        suggestions={usePeople('Team')}
      />
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
