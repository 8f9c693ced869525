import { useState } from 'react';
import { patchCommand } from '../../client/commands/actioncommands.js';
import { mergedNames } from '../../client/edits/threeway.js';
import { setMembers, TEAMS, type TeamView } from '../../client/people.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { namesOf } from '../../ui/names.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { usePeople } from '../../ui/suggest/useoffers.js';
import { undoably } from '../../ui/undostore.js';

/** Changes the members of a team. Concurrent changes of others are kept. */
export function ChangeMembers({ team, onClose }: { readonly team: TeamView; readonly onClose: () => void }) {
  const { teams: texts, actions, conflict, undo } = useTexts();
  const [base] = useState(team.users);
  const suggestions = usePeople('User');
  const [typed, setTyped] = useState(base.join(', '));
  const { names, added, removed } = mergedNames(base, namesOf(typed), team.users);
  const meanwhile = added.length + removed.length > 0;
  return (
    <FormDialog
      title={texts.change}
      action={actions.save}
      shown={['spec.users']}
      commands={[patchCommand(TEAMS, team.metadata, { users: names })]}
      onClose={onClose}
      onSubmit={() => undoably(undo.members(team.metadata.name ?? ''), setMembers(team, names))}
    >
      {(error) => (
        <>
          <SuggestField
            label={texts.columns.users}
            hint={texts.usersHint}
            value={typed}
            onChange={setTyped}
            errors={causesOf(error, 'spec.users')}
            suggestions={suggestions}
            autoFocus={true}
            several={true}
          />
          <div role="status" className={meanwhile ? 'notice stale' : 'visually-hidden'}>
            {meanwhile && (
              <>
                <p>{conflict.names(added.join(', '), removed.join(', '))}</p>
                <p>{conflict.afterwards(names.join(', ') || texts.nobody)}</p>
              </>
            )}
          </div>
        </>
      )}
    </FormDialog>
  );
}
