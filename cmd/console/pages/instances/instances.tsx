import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Row } from '../../client/forms.js';
import { tableRows } from '../../client/forms.js';
import type { InstanceKind } from '../../client/instances.js';
import { SPACE, VIRTUAL_CLUSTER } from '../../client/instances.js';
import { pathOf } from '../../client/paths.js';
import { PROJECTS, projectForm } from '../../client/projects.js';
import { useLive } from '../../live/uselive.js';
import { projectOf, useNamespacePrefix } from '../../client/useprefix.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ListPage } from '../../ui/listpage.js';
import { Phase } from '../../ui/phase.js';
import type { Column } from '../../ui/virtualrows.js';
import { When } from '../../ui/when.js';
import { CreateInstance } from './createinstance.js';
import { InstanceLink } from './instancelink.js';

/** The spaces that the person may see. */
export function SpacesPage() {
  const { q = '' } = useSearch({ from: '/spaces' });
  const navigate = useNavigate();
  return (
    <Instances
      of={SPACE}
      query={q}
      onQuery={(text) =>
        void navigate({ to: '/spaces', search: text === '' ? {} : { q: text }, replace: true })
      }
    />
  );
}

/** The virtual clusters that the person may see. */
export function VirtualClustersPage() {
  const { q = '' } = useSearch({ from: '/virtualclusters' });
  const navigate = useNavigate();
  return (
    <Instances
      of={VIRTUAL_CLUSTER}
      query={q}
      onQuery={(text) =>
        void navigate({ to: '/virtualclusters', search: text === '' ? {} : { q: text }, replace: true })
      }
    />
  );
}

/** Beside the name. */
const SEARCHED = ['Display Name', 'Cluster', 'Phase', 'Reason', 'Owner'];

interface Props {
  readonly of: InstanceKind;
  readonly query: string;
  readonly onQuery: (text: string) => void;
}

/** Rows of the server's table, which has the phase and why it is so. */
function Instances({ of, query, onQuery }: Props) {
  const texts = useTexts();
  const prefix = useNamespacePrefix();
  const state = useLive<Row>(pathOf(of.resource), 'table', tableRows);
  // An instance is in a project: who sees none can make none.
  const projects = useLive(pathOf(PROJECTS), 'project', projectForm);
  const columns = useMemo(() => columnsOf(texts, of, prefix), [texts, of, prefix]);
  return (
    <ListPage
      texts={texts.instances[of.texts]}
      state={state}
      columns={columns}
      query={query}
      onQuery={onQuery}
      searched={SEARCHED}
      commands={[`kubectl get ${of.resource} --all-namespaces`, `platform list ${of.noun} --all-namespaces`]}
      creating={
        projects.items.length === 0
          ? undefined
          : (onClose) => <CreateInstance of={of} projects={projects.items} onClose={onClose} />
      }
    />
  );
}

const columnsOf = (
  { instances: { columns } }: Texts,
  of: InstanceKind,
  prefix: string | undefined,
): readonly Column<Row>[] => [
  {
    name: 'name',
    label: columns.name,
    cell: ({ metadata: { namespace = '', name = '' } }) => (
      <InstanceLink of={of} namespace={namespace} name={name} />
    ),
  },
  {
    name: 'phase',
    label: columns.phase,
    cell: ({ cells, metadata: { deletionTimestamp } }) => (
      <Phase
        phase={deletionTimestamp === undefined ? (cells.Phase ?? '') : 'Terminating'}
        reason={cells.Reason ?? ''}
      />
    ),
  },
  {
    name: 'project',
    label: columns.project,
    wideOnly: true,
    cell: ({ metadata: { namespace = '' } }) => {
      const project = projectOf(namespace, prefix);
      if (project === '') return namespace;
      return (
        <Link to="/projects/$name" params={{ name: project }} preload={false}>
          {project}
        </Link>
      );
    },
  },
  { name: 'cluster', label: columns.cluster, wideOnly: true, cell: ({ cells }) => cells.Cluster },
  {
    name: 'age',
    label: columns.age,
    wideOnly: true,
    cell: ({ metadata }) => <When at={Date.parse(metadata.creationTimestamp ?? '')} />,
  },
];
