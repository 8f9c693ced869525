import { useMemo } from 'react';
import type { Row } from '../../client/forms.js';
import { SECRETS } from '../../client/secrets.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ageColumn, cellColumn } from '../../ui/lists/columns.js';
import { ListPage } from '../../ui/lists/listpage.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { objectColumn } from '../object/objectcolumn.js';
import { CreateSecret } from './createsecret.js';
import { useSecretNamespace } from './usesecretnamespace.js';

/** The columns that are searched besides the name. */
const SEARCHED = ['Display Name', 'Owner', 'Keys'];

/** All secrets that the user can see. */
export function SecretsPage() {
  const texts = useTexts();
  const namespace = useSecretNamespace();
  const columns = useMemo(() => columnsOf(texts), [texts]);
  return (
    <ListPage
      texts={texts.secrets}
      resource={SECRETS}
      columns={columns}
      searched={SEARCHED}
      commands={['kubectl get sharedsecrets --all-namespaces', 'platform list secret --all-namespaces']}
      creating={
        namespace === undefined
          ? undefined
          : (onClose) => <CreateSecret namespace={namespace} onClose={onClose} />
      }
    />
  );
}

const columnsOf = ({ secrets: { columns } }: Texts): readonly Column<Row>[] => [
  objectColumn(SECRETS, columns.name),
  { name: 'namespace', label: columns.namespace, cell: ({ metadata }) => metadata.namespace },
  cellColumn(columns.displayName, 'Display Name'),
  cellColumn(columns.owner, 'Owner'),
  ageColumn(columns.age),
];
