import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createUserCommand } from '../../client/commands/actioncommands.js';
import { createInvitation } from '../../client/invitations.js';
import { createUser } from '../../client/people.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { NameFields, NO_NAMES } from '../../ui/fields/namefields.js';
import { TextField } from '../../ui/fields/textfield.js';
import { ShownLink, usualCommand, usualInvitation } from './inviteuser.js';
import { useInviting } from './useinviting.js';

/** Creates a user, who logs in with an access key or through the identity provider, and invites the person. */
export function CreateUser({ onClose }: { readonly onClose: () => void }) {
  const { users: texts, actions, invitation } = useTexts();
  const navigate = useNavigate();
  const [names, setNames] = useState(NO_NAMES);
  const { name, displayName } = names;
  const [email, setEmail] = useState('');
  const { may, needsKey } = useInviting();
  const [isInvited, setInvited] = useState(true);
  const invites = may && isInvited;
  const [created, setCreated] = useState<string>();
  const [link, setLink] = useState<string>();
  const showUser = () => navigate({ to: '/users/$name', params: { name } });
  const create = async (): Promise<void> => {
    // An invitation that fails is tried again without the user, who is there.
    if (created !== name) await createUser(name, { displayName, email });
    setCreated(name);
    if (invites) setLink(await createInvitation(name, usualInvitation(needsKey), undefined));
    else await showUser();
  };
  if (link !== undefined) return <ShownLink name={name} link={link} onClose={() => void showUser()} />;
  const commands = [createUserCommand(name, displayName, email)];
  return (
    <FormDialog
      title={texts.create}
      action={actions.create}
      shown={['metadata.name', 'spec.displayName', 'spec.email']}
      commands={invites ? [...commands, usualCommand(name, needsKey)] : commands}
      onClose={onClose}
      onDone={() => undefined}
      onSubmit={create}
    >
      {(error) => (
        <>
          <NameFields names={names} nameHint={texts.nameHint} error={error} onChange={setNames} />
          <TextField
            label={texts.columns.email}
            value={email}
            onChange={setEmail}
            errors={causesOf(error, 'spec.email')}
          />
          {may && (
            <label className="check">
              <input
                type="checkbox"
                checked={isInvited}
                onChange={(event) => setInvited(event.target.checked)}
              />
              {needsKey ? invitation.withKey : invitation.withLogin}
            </label>
          )}
        </>
      )}
    </FormDialog>
  );
}
