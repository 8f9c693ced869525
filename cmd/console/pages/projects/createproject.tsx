import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createProjectCommand } from '../../client/commands/actioncommands.js';
import { createProject } from '../../client/projectedits/createproject.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { NameFields, NO_NAMES } from '../../ui/fields/namefields.js';
import { TextField } from '../../ui/fields/textfield.js';
import { FormDialog } from '../../ui/formdialog.js';

/** Creates a project, which the user then owns. */
export function CreateProject({ onClose }: { readonly onClose: () => void }) {
  const { projects, actions, limits } = useTexts();
  const { list: texts } = projects;
  const navigate = useNavigate();
  const [names, setNames] = useState(NO_NAMES);
  const { name, displayName } = names;
  const [typed, setTyped] = useState('');
  const instances = typed.trim();
  const create = async (): Promise<void> => {
    await createProject(name, displayName, instances);
    await navigate({ to: '/projects/$name', params: { name } });
  };
  return (
    <FormDialog
      title={texts.create}
      action={actions.create}
      shown={['metadata.name', 'spec.displayName', 'spec.quotas.instances']}
      commands={[createProjectCommand(name, displayName, instances)]}
      onClose={onClose}
      onSubmit={create}
    >
      {(error) => (
        <>
          <NameFields
            names={names}
            rule="label"
            nameHint={texts.nameHint}
            error={error}
            onChange={setNames}
          />
          <TextField
            label={projects.mostInstances}
            hint={limits.hint}
            value={typed}
            numeric
            onChange={setTyped}
            errors={causesOf(error, 'spec.quotas.instances')}
          />
        </>
      )}
    </FormDialog>
  );
}
