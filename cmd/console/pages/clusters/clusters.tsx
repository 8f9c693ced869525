import { useMemo } from 'react';
import { LIST_COMMANDS } from '../../client/commands/pagecommands.js';
import type { Row } from '../../client/forms.js';
import { CLUSTERS } from '../../client/clusters.js';
import { useMay } from '../../client/reviews.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ageColumn, cellColumn } from '../../ui/lists/columns.js';
import { ListPage } from '../../ui/lists/listpage.js';
import { Phase } from '../../ui/phase.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { objectColumn } from '../object/objectcolumn.js';
import { ConnectCluster } from './connectcluster.js';

/** The columns that are searched besides the name. */
const SEARCHED = ['Display Name', 'Phase', 'Owner'];

/** The connected clusters that the user can see, and whether they respond. */
export function ClustersPage() {
  const texts = useTexts();
  const mayCreate = useMay({ verb: 'create', resource: CLUSTERS, namespace: '', name: '' });
  const columns = useMemo(() => columnsOf(texts), [texts]);
  return (
    <ListPage
      texts={texts.clusters}
      resource={CLUSTERS}
      columns={columns}
      searched={SEARCHED}
      commands={LIST_COMMANDS.clusters}
      creating={mayCreate ? (onClose) => <ConnectCluster onClose={onClose} /> : undefined}
    />
  );
}

const columnsOf = ({ clusters: { columns, online, offline } }: Texts): readonly Column<Row>[] => [
  objectColumn(CLUSTERS, columns.name),
  {
    name: 'phase',
    width: '1.8fr',
    label: columns.phase,
    value: ({ cells }) => cells.Phase ?? '',
    cell: ({ cells }) => (
      <Phase phase={cells.Phase ?? ''} reason={cells.Online === 'true' ? online : offline} />
    ),
  },
  cellColumn(columns.displayName, 'Display Name', '1.2fr'),
  cellColumn(columns.version, 'Version', '6.5rem'),
  cellColumn(columns.owner, 'Owner'),
  ageColumn(columns.age),
];
