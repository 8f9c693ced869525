import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Row } from '../../client/forms.js';
import { tableRows } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { TEAMS } from '../../client/people.js';
import { useMay } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ListPage } from '../../ui/listpage.js';
import type { Column } from '../../ui/virtualrows.js';
import { When } from '../../ui/when.js';
import { CreateTeam } from './createteam.js';

/** Beside the name. */
const SEARCHED = ['Display Name', 'Users', 'Groups'];

/** The teams that the person may see. */
export function TeamsPage() {
  const texts = useTexts();
  const { q = '' } = useSearch({ from: '/teams' });
  const navigate = useNavigate();
  const state = useLive<Row>(pathOf(TEAMS), 'table', tableRows);
  const mayCreate = useMay({ verb: 'create', resource: TEAMS, namespace: '', name: '' });
  const columns = useMemo(() => columnsOf(texts), [texts]);
  return (
    <ListPage
      texts={texts.teams}
      state={state}
      columns={columns}
      query={q}
      onQuery={(text) =>
        void navigate({ to: '/teams', search: text === '' ? {} : { q: text }, replace: true })
      }
      searched={SEARCHED}
      commands={['kubectl get teams.management.svc.example']}
      creating={mayCreate ? (onClose) => <CreateTeam onClose={onClose} /> : undefined}
    />
  );
}

const columnsOf = ({ teams: { columns } }: Texts): readonly Column<Row>[] => [
  {
    name: 'name',
    label: columns.name,
    cell: ({ metadata: { name = '' } }) => (
      <Link to="/teams/$name" params={{ name }} preload={false}>
        {name}
      </Link>
    ),
  },
  { name: 'users', label: columns.users, cell: ({ cells }) => cells.Users },
  {
    name: 'display',
    label: columns.displayName,
    wideOnly: true,
    cell: ({ cells }) => cells['Display Name'],
  },
  { name: 'groups', label: columns.groups, wideOnly: true, cell: ({ cells }) => cells.Groups },
  {
    name: 'age',
    label: columns.age,
    wideOnly: true,
    cell: ({ metadata }) => <When at={Date.parse(metadata.creationTimestamp ?? '')} />,
  },
];
