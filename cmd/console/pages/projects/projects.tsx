import { useMemo, useState } from 'react';
import { LIST_COMMANDS } from '../../client/commands/pagecommands.js';
import type { Row } from '../../client/forms.js';
import { createProject } from '../../client/projectedits/createproject.js';
import { PROJECTS } from '../../client/projects.js';
import { useMay } from '../../client/reviews.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ageColumn, cellColumn } from '../../ui/lists/columns.js';
import { ListPage } from '../../ui/lists/listpage.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { objectColumn } from '../object/objectcolumn.js';
import { useNavigate } from '@tanstack/react-router';
import { createProjectCommand } from '../../client/commands/actioncommands.js';
import { FormDialog } from '../../ui/formdialog.js';
import { NameFields, NO_NAMES } from '../../ui/fields/namefields.js';
import { TextField } from '../../ui/fields/textfield.js';
import { causesOf } from '../../client/status.js';

/** The columns that are searched besides the name. */
const SEARCHED = ['Display Name', 'Owner'];

/** The projects that the user can see. */
export function ProjectsPage() {
  const texts = useTexts();
  const mayCreate = useMay({ verb: 'create', resource: PROJECTS, namespace: '', name: '' });
  const columns = useMemo(() => columnsOf(texts), [texts]);
  return (
    <ListPage
      texts={texts.projects.list}
      resource={PROJECTS}
      columns={columns}
      searched={SEARCHED}
      commands={LIST_COMMANDS.projects}
      creating={mayCreate ? (onClose) => <CreateProject onClose={onClose} /> : undefined}
    />
  );
}

const columnsOf = ({ projects: { list } }: Texts): readonly Column<Row>[] => [
  objectColumn(PROJECTS, list.columns.name),
  cellColumn(list.columns.displayName, 'Display Name'),
  cellColumn(list.columns.owner, 'Owner'),
  cellColumn(list.columns.members, 'Members'),
  ageColumn(list.columns.age),
];

/** Creates a project, which the user then owns. */
function CreateProject({ onClose }: { readonly onClose: () => void }) {
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
