import { useMemo } from 'react';
import { LIST_COMMANDS } from '../../client/commands/pagecommands.js';
import type { Row } from '../../client/forms.js';
import { TEAMS } from '../../client/people.js';
import { useMay } from '../../client/reviews.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ageColumn, cellColumn } from '../../ui/lists/columns.js';
import { ListPage } from '../../ui/lists/listpage.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { objectColumn } from '../object/objectcolumn.js';
import { CreateTeam } from './createteam.js';

/** The columns that are searched besides the name. */
const SEARCHED = ['Display Name', 'Users', 'Groups'];

/** The teams that the user can see. */
export function TeamsPage() {
  const texts = useTexts();
  const mayCreate = useMay({ verb: 'create', resource: TEAMS, namespace: '', name: '' });
  const columns = useMemo(() => columnsOf(texts), [texts]);
  return (
    <ListPage
      texts={texts.teams}
      resource={TEAMS}
      columns={columns}
      searched={SEARCHED}
      commands={LIST_COMMANDS.teams}
      creating={mayCreate ? (onClose) => <CreateTeam onClose={onClose} /> : undefined}
    />
  );
}

const columnsOf = ({ teams: { columns } }: Texts): readonly Column<Row>[] => [
  objectColumn(TEAMS, columns.name),
  cellColumn(columns.users, 'Users', '2fr'),
  cellColumn(columns.displayName, 'Display Name', '1.3fr'),
  cellColumn(columns.groups, 'Groups', '1.3fr'),
  ageColumn(columns.age),
];
