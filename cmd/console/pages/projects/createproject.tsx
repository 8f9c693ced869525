import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createProjectCommand } from '../../client/commands/actioncommands.js';
import { createProject } from '../../client/projects.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { TextField } from '../../ui/textfield.js';

/** A new project, which belongs to whoever makes it. */
export function CreateProject({ onClose }: { readonly onClose: () => void }) {
  const { projects, actions } = useTexts();
  const { list: texts } = projects;
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const create = async (): Promise<void> => {
    await createProject(name, displayName);
    await navigate({ to: '/projects/$name', params: { name } });
  };
  return (
    <FormDialog
      title={texts.create}
      action={actions.create}
      shown={['metadata.name', 'spec.displayName']}
      commands={[createProjectCommand(name, displayName)]}
      onClose={onClose}
      onSubmit={create}
    >
      {(error) => (
        <>
          <TextField
            {...{ label: texts.columns.name, hint: texts.nameHint, value: name, onChange: setName }}
            {...{ errors: causesOf(error, 'metadata.name'), autoFocus: true, required: true }}
          />
          <TextField
            {...{ label: texts.columns.displayName, value: displayName, onChange: setDisplayName }}
            errors={causesOf(error, 'spec.displayName')}
          />
        </>
      )}
    </FormDialog>
  );
}
