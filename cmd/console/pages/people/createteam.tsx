import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createTeamCommand } from '../../client/commands/actioncommands.js';
import { createTeam } from '../../client/people.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { NameFields, NO_NAMES } from '../../ui/fields/namefields.js';
import { namesOf } from '../../ui/names.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { usePeople } from '../../ui/suggest/useoffers.js';

/** Creates a team with its members. */
export function CreateTeam({ onClose }: { readonly onClose: () => void }) {
  const { teams: texts, actions } = useTexts();
  const navigate = useNavigate();
  const [names, setNames] = useState(NO_NAMES);
  const { name, displayName } = names;
  const [users, setUsers] = useState('');
  const suggestions = usePeople('User');
  const create = async (): Promise<void> => {
    await createTeam(name, { displayName, users: namesOf(users) });
    await navigate({ to: '/teams/$name', params: { name } });
  };
  return (
    <FormDialog
      title={texts.create}
      action={actions.create}
      shown={['metadata.name', 'spec.displayName', 'spec.users']}
      commands={[createTeamCommand(name, displayName, namesOf(users))]}
      onClose={onClose}
      onSubmit={create}
    >
      {(error) => (
        <>
          <NameFields names={names} error={error} onChange={setNames} />
          <SuggestField
            label={texts.columns.users}
            hint={texts.usersHint}
            value={users}
            onChange={setUsers}
            suggestions={suggestions}
            errors={causesOf(error, 'spec.users')}
            several={true}
          />
        </>
      )}
    </FormDialog>
  );
}
