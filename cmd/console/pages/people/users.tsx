import { useMemo } from 'react';
import { LIST_COMMANDS } from '../../client/commands/pagecommands.js';
import type { Row } from '../../client/forms.js';
import { USERS } from '../../client/people.js';
import { useMay } from '../../client/reviews.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ageColumn, cellColumn, STATE_WIDTH } from '../../ui/lists/columns.js';
import { ListPage } from '../../ui/lists/listpage.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { objectColumn } from '../object/objectcolumn.js';
import { CreateUser } from './createuser.js';

/** The columns that are searched besides the name. */
const SEARCHED = ['Display Name', 'Email', 'Groups'];

/** The users that the current user can see. */
export function UsersPage() {
  const texts = useTexts();
  const mayCreate = useMay({ verb: 'create', resource: USERS, namespace: '', name: '' });
  const columns = useMemo(() => columnsOf(texts), [texts]);
  return (
    <ListPage
      texts={texts.users}
      resource={USERS}
      columns={columns}
      searched={SEARCHED}
      commands={LIST_COMMANDS.users}
      creating={mayCreate ? (onClose) => <CreateUser onClose={onClose} /> : undefined}
    />
  );
}

const columnsOf = ({ users: { columns, disabled, enabled } }: Texts): readonly Column<Row>[] => [
  { ...objectColumn(USERS, columns.name), width: '1.2fr' },
  {
    name: 'state',
    label: columns.state,
    width: STATE_WIDTH,
    value: ({ cells }) => cells.Disabled ?? '',
    cell: ({ cells: { Disabled: off } }) => (
      <span className={`badge ${off === 'true' ? 'disabled' : 'enabled'}`}>
        {off === 'true' ? disabled : enabled}
      </span>
    ),
  },
  cellColumn(columns.displayName, 'Display Name', '1.2fr'),
  cellColumn(columns.email, 'Email', '2.4fr'),
  ageColumn(columns.age),
];
