import { useMemo } from 'react';
import { LIST_COMMANDS } from '../../client/commands/pagecommands.js';
import type { Row } from '../../client/forms.js';
import { PROJECTS } from '../../client/projects.js';
import { useMay } from '../../client/reviews.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ageColumn, cellColumn } from '../../ui/lists/columns.js';
import { ListPage } from '../../ui/lists/listpage.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { objectColumn } from '../object/objectcolumn.js';
import { CreateProject } from './createproject.js';

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
  cellColumn(list.columns.displayName, 'Display Name', '1.6fr'),
  cellColumn(list.columns.owner, 'Owner'),
  cellColumn(list.columns.members, 'Members', '6rem'),
  ageColumn(list.columns.age),
];
