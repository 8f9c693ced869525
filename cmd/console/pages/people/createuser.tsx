import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createUserCommand } from '../../client/commands/actioncommands.js';
import { createUser } from '../../client/people.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { NameFields, NO_NAMES } from '../../ui/fields/namefields.js';
import { TextField } from '../../ui/fields/textfield.js';

/** Creates a user, who logs in with an access key or through the identity provider. */
export function CreateUser({ onClose }: { readonly onClose: () => void }) {
  const { users: texts, actions } = useTexts();
  const navigate = useNavigate();
  const [names, setNames] = useState(NO_NAMES);
  const { name, displayName } = names;
  const [email, setEmail] = useState('');
  const create = async (): Promise<void> => {
    await createUser(name, { displayName, email });
    await navigate({ to: '/users/$name', params: { name } });
  };
  return (
    <FormDialog
      title={texts.create}
      action={actions.create}
      shown={['metadata.name', 'spec.displayName', 'spec.email']}
      commands={[createUserCommand(name, displayName, email)]}
      onClose={onClose}
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
        </>
      )}
    </FormDialog>
  );
}
