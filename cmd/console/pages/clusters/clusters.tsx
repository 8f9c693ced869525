import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { CLUSTERS } from '../../client/clusters.js';
import type { Row } from '../../client/forms.js';
import { tableRows } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { useMay } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ListPage } from '../../ui/listpage.js';
import { Phase } from '../../ui/phase.js';
import type { Column } from '../../ui/virtualrows.js';
import { When } from '../../ui/when.js';
import { ConnectCluster } from './connectcluster.js';

/** Beside the name. */
const SEARCHED = ['Display Name', 'Phase', 'Owner'];

/** The connected clusters that the person may see, and whether they answer. */
export function ClustersPage() {
  const texts = useTexts();
  const { q = '' } = useSearch({ from: '/clusters' });
  const navigate = useNavigate();
  const state = useLive<Row>(pathOf(CLUSTERS), 'table', tableRows);
  const mayCreate = useMay({ verb: 'create', resource: CLUSTERS, namespace: '', name: '' });
  const columns = useMemo(() => columnsOf(texts), [texts]);
  return (
    <ListPage
      texts={texts.clusters}
      state={state}
      columns={columns}
      query={q}
      onQuery={(text) =>
        void navigate({ to: '/clusters', search: text === '' ? {} : { q: text }, replace: true })
      }
      searched={SEARCHED}
      commands={['kubectl get clusters.management.svc.example', 'platform list cluster']}
      creating={mayCreate ? (onClose) => <ConnectCluster onClose={onClose} /> : undefined}
    />
  );
}

const columnsOf = ({ clusters: { columns, online, offline } }: Texts): readonly Column<Row>[] => [
  {
    name: 'name',
    label: columns.name,
    cell: ({ metadata: { name = '' } }) => (
      <Link to="/clusters/$name" params={{ name }} preload={false}>
        {name}
      </Link>
    ),
  },
  {
    name: 'phase',
    label: columns.phase,
    cell: ({ cells }) => (
      <Phase phase={cells.Phase ?? ''} reason={cells.Online === 'true' ? online : offline} />
    ),
  },
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
