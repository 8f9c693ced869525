import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createProjectCommand } from '../../client/commands/actioncommands.js';
import { createProject } from '../../client/projects.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { NameFields, NO_NAMES } from '../../ui/fields/namefields.js';

/** Creates a project, which the user then owns. */
export function CreateProject({ onClose }: { readonly onClose: () => void }) {
  const { projects, actions } = useTexts();
  const { list: texts } = projects;
  const navigate = useNavigate();
  const [names, setNames] = useState(NO_NAMES);
  const { name, displayName } = names;
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
      {(error) => <NameFields names={names} nameHint={texts.nameHint} error={error} onChange={setNames} />}
    </FormDialog>
  );
}
