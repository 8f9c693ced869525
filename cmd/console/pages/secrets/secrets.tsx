import { useMemo } from 'react';
import { LIST_COMMANDS } from '../../client/commands/pagecommands.js';
import type { Row } from '../../client/forms.js';
import { searchIn } from '../../client/searchrows.js';
import { PROJECT_SECRETS } from '../../client/secrets.js';
import { projectOf, useNamespacePrefix } from '../../client/useprefix.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ageColumn, cellColumn } from '../../ui/lists/columns.js';
import { RowsPage } from '../../ui/lists/listpage.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { objectColumn } from '../object/objectcolumn.js';
import { CreateSecret } from './createsecret.js';
import { ShareMany } from './sharemany.js';
import { useSecretPlaces } from './usesecretplaces.js';
import { useSecretRows } from './usesecretrows.js';

const find = searchIn(['Display Name', 'Owner', 'Entries']);

/** All secrets that the user can see, shared and of projects. */
export function SecretsPage() {
  const texts = useTexts();
  const { shared, projects } = useSecretPlaces();
  const prefix = useNamespacePrefix();
  const columns = useMemo(() => columnsOf(texts, prefix), [texts, prefix]);
  const mayCreate = shared || projects.length > 0;
  return (
    <RowsPage
      texts={texts.secrets}
      state={useSecretRows()}
      columns={columns}
      find={find}
      commands={LIST_COMMANDS.secrets}
      many={(rows) => <ShareMany rows={rows} />}
      creating={mayCreate ? (onClose) => <CreateSecret onClose={onClose} /> : undefined}
    />
  );
}

const columnsOf = ({ secrets: texts }: Texts, prefix: string | undefined): readonly Column<Row>[] => [
  objectColumn(undefined, texts.columns.name),
  {
    name: 'where',
    width: '1.6fr',
    label: texts.columns.where,
    value: ({ resource, metadata: { namespace = '' } }) => `${resource} ${namespace}`,
    cell: ({ resource, metadata: { namespace = '' } }) =>
      resource === PROJECT_SECRETS ? texts.inProject(projectOf(namespace, prefix)) : texts.shared(namespace),
  },
  cellColumn(texts.columns.displayName, 'Display Name', '1.5fr'),
  cellColumn(texts.columns.owner, 'Owner'),
  ageColumn(texts.columns.age),
];
