import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import type { Row } from '../../client/forms.js';
import { tableRows } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { SECRETS } from '../../client/secrets.js';
import { useLive } from '../../client/uselive.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Commands } from '../../ui/commands.js';
import { LiveNote } from '../../ui/livestate.js';
import { Page } from '../../ui/page.js';
import { TextField } from '../../ui/textfield.js';
import type { Column } from '../../ui/virtualrows.js';
import { VirtualRows } from '../../ui/virtualrows.js';
import { When } from '../../ui/when.js';
import { CreateSecret } from './createsecret.js';

/** All secrets that the person may see: rows of the server's table, so that no value comes here. */
export function SecretsPage() {
  const texts = useTexts();
  const { q = '' } = useSearch({ from: '/secrets' });
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const secrets = useLive<Row>(pathOf(SECRETS), 'table', tableRows);
  const wanted = useDeferredValue(q);
  const found = useMemo(() => search(secrets.items, wanted), [secrets.items, wanted]);
  const columns = useMemo(() => columnsOf(texts), [texts]);
  const setQuery = (text: string): void =>
    void navigate({ to: '/secrets', search: text === '' ? {} : { q: text }, replace: true });
  return (
    <Page
      title={texts.secrets.title}
      actions={
        <Button look="main" onPress={() => setCreating(true)}>
          {texts.secrets.create}
        </Button>
      }
    >
      <div className="bar">
        <TextField label={texts.secrets.search} type="search" value={q} onChange={setQuery} />
        <p className="hint" role="status">
          {secrets.status === 'loading' ? '' : texts.secrets.count(found.length, secrets.items.length)}
        </p>
      </div>
      <LiveNote state={secrets} />
      {found.length === 0 && secrets.status !== 'loading' ? (
        <p className="empty">{texts.secrets.none}</p>
      ) : (
        <VirtualRows label={texts.secrets.title} columns={columns} items={found} keyOf={keyOf} />
      )}
      <Commands
        lines={['kubectl get sharedsecrets --all-namespaces', 'platform list secret --all-namespaces']}
      />
      {creating && <CreateSecret onClose={() => setCreating(false)} />}
    </Page>
  );
}

const keyOf = ({ metadata: { namespace = '', name = '' } }: Row): string => `${namespace}/${name}`;

/** Every word must be somewhere in the row. Sorted by namespace and name. */
function search(rows: readonly Row[], text: string): Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const sorted = [...rows].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  if (words.length === 0) return sorted;
  return sorted.filter((row) => {
    const { 'Display Name': display = '', Owner: owner = '', Keys: keys = '' } = row.cells;
    const all = `${keyOf(row)} ${display} ${owner} ${keys}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

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
