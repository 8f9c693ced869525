import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Row } from '../../client/forms.js';
import { tableRows } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { USERS } from '../../client/people.js';
import { useMay } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ListPage } from '../../ui/listpage.js';
import type { Column } from '../../ui/virtualrows.js';
import { When } from '../../ui/when.js';
import { CreateUser } from './createuser.js';

/** Beside the name. */
const SEARCHED = ['Display Name', 'Email', 'Groups'];

/** The users that the person may see. */
export function UsersPage() {
  const texts = useTexts();
  const { q = '' } = useSearch({ from: '/users' });
  const navigate = useNavigate();
  const state = useLive<Row>(pathOf(USERS), 'table', tableRows);
  const mayCreate = useMay({ verb: 'create', resource: USERS, namespace: '', name: '' });
  const columns = useMemo(() => columnsOf(texts), [texts]);
  return (
    <ListPage
      texts={texts.users}
      state={state}
      columns={columns}
      query={q}
      onQuery={(text) =>
        void navigate({ to: '/users', search: text === '' ? {} : { q: text }, replace: true })
      }
      searched={SEARCHED}
      commands={['kubectl get users.management.svc.example']}
      creating={mayCreate ? (onClose) => <CreateUser onClose={onClose} /> : undefined}
    />
  );
}

const columnsOf = ({ users: { columns, disabled, enabled } }: Texts): readonly Column<Row>[] => [
  {
    name: 'name',
    label: columns.name,
    cell: ({ metadata: { name = '' } }) => (
      <Link to="/users/$name" params={{ name }} preload={false}>
        {name}
      </Link>
    ),
  },
  {
    name: 'state',
    label: columns.state,
    cell: ({ cells }) =>
      cells.Disabled === 'true' ? (
        <span className="badge disabled">{disabled}</span>
      ) : (
        <span className="badge enabled">{enabled}</span>
      ),
  },
  {
    name: 'display',
    label: columns.displayName,
    wideOnly: true,
    cell: ({ cells }) => cells['Display Name'],
  },
  { name: 'email', label: columns.email, wideOnly: true, cell: ({ cells }) => cells.Email },
  {
    name: 'age',
    label: columns.age,
    wideOnly: true,
    cell: ({ metadata }) => <When at={Date.parse(metadata.creationTimestamp ?? '')} />,
  },
];
