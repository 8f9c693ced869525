import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Row } from '../../client/forms.js';
import { tableRows } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { SECRETS } from '../../client/secrets.js';
import { useLive } from '../../live/uselive.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ListPage } from '../../ui/listpage.js';
import type { Column } from '../../ui/virtualrows.js';
import { When } from '../../ui/when.js';
import { CreateSecret } from './createsecret.js';

/** All secrets that the person may see: rows of the server's table, so that no value comes here. */
export function SecretsPage() {
  const texts = useTexts();
  const { q = '' } = useSearch({ from: '/secrets' });
  const navigate = useNavigate();
  const secrets = useLive<Row>(pathOf(SECRETS), 'table', tableRows);
  const columns = useMemo(() => columnsOf(texts), [texts]);
  return (
    <ListPage
      texts={texts.secrets}
      state={secrets}
      columns={columns}
      query={q}
      onQuery={(text) =>
        void navigate({ to: '/secrets', search: text === '' ? {} : { q: text }, replace: true })
      }
      searched={SEARCHED}
      commands={['kubectl get sharedsecrets --all-namespaces', 'platform list secret --all-namespaces']}
      creating={(onClose) => <CreateSecret onClose={onClose} />}
    />
  );
}

/** Beside the name. */
const SEARCHED = ['Display Name', 'Owner', 'Keys'];

const columnsOf = ({ secrets: { columns } }: Texts): readonly Column<Row>[] => [
  {
    name: 'name',
    label: columns.name,
    cell: ({ metadata: { namespace = '', name = '' } }) => (
      <Link to="/secrets/$namespace/$name" params={{ namespace, name }} preload={false}>
        {name}
      </Link>
    ),
  },
  { name: 'namespace', label: columns.namespace, cell: ({ metadata }) => metadata.namespace },
  {
    name: 'display',
    label: columns.displayName,
    wideOnly: true,
    cell: ({ cells }) => cells['Display Name'],
  },
  { name: 'owner', label: columns.owner, wideOnly: true, cell: ({ cells }) => cells.Owner },
  {
    name: 'age',
    label: columns.age,
    wideOnly: true,
    cell: ({ metadata }) => <When at={Date.parse(metadata.creationTimestamp ?? '')} />,
  },
];
