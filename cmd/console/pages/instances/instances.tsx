import { useMemo, useState } from 'react';
import { LIST_COMMANDS } from '../../client/commands/pagecommands.js';
import { tableRows, type Row } from '../../client/forms.js';
import { SPACE, VIRTUAL_CLUSTER, type InstanceKind } from '../../client/instances.js';
import { pathOf } from '../../client/paths.js';
import { PROJECTS, type ProjectView } from '../../client/projects.js';
import { projectOf, useNamespacePrefix } from '../../client/useprefix.js';
import { useLive } from '../../live/uselive.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { ageColumn, cellColumn } from '../../ui/lists/columns.js';
import { ListPage } from '../../ui/lists/listpage.js';
import { Phase } from '../../ui/phase.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { objectColumn } from '../object/objectcolumn.js';
import { ObjectLink } from '../object/objectlink.js';
import { creating, useProjectsWhere } from '../projects/useprojectswhere.js';
import { CreateSpace } from './createspace.js';
import { CLUSTERS } from '../../client/clusters.js';
import { useMayAny } from '../../client/reviews.js';
import { Button } from '../../ui/button.js';
import { ImportVirtualCluster } from './importvirtualcluster.js';

/** The maximum number of clusters with an access review of their own. */
const MAX = 20;

/**
 * Offers to import a virtual cluster, if the user may import from all clusters, or from one of those that the user can
 * see.
 */
function ImportButton({ projects }: { readonly projects: readonly ProjectView[] }) {
  const { instances } = useTexts();
  const [asked, setAsked] = useState(false);
  const clusters = useLive<Row>(pathOf(CLUSTERS), 'table', tableRows);
  const names = ['', ...clusters.items.slice(0, MAX).map(({ metadata: { name = '' } }) => name)];
  const may = useMayAny(names.map((name) => ({ verb: 'import', resource: CLUSTERS, namespace: '', name })));
  if (!may || projects.length === 0) return null;
  return (
    <>
      <Button onPress={() => setAsked(true)}>{instances.importing.action}</Button>
      {asked && <ImportVirtualCluster projects={projects} onClose={() => setAsked(false)} />}
    </>
  );
}

/** The spaces that the user can see. */
export const SpacesPage = () => <Instances of={SPACE} />;

/** The virtual clusters that the user can see. */
export const VirtualClustersPage = () => <Instances of={VIRTUAL_CLUSTER} />;

/** The columns that are searched besides the name. */
const SEARCHED = ['Display Name', 'Cluster', 'Phase', 'Reason', 'Owner'];

const NO_PROJECTS: readonly ProjectView[] = [];
const CREATING = {
  SpaceInstance: creating(SPACE.resource),
  VirtualClusterInstance: creating(VIRTUAL_CLUSTER.resource),
} as const;

/** The rows of the server's table, which has the phase and its reason. */
function Instances({ of }: { readonly of: InstanceKind }) {
  const texts = useTexts();
  const prefix = useNamespacePrefix();
  const projects = useProjectsWhere(CREATING[of.kind]) ?? NO_PROJECTS;
  const columns = useMemo(() => columnsOf(texts, of, prefix), [texts, of, prefix]);
  return (
    <ListPage
      texts={texts.instances[of.texts]}
      resource={of.resource}
      columns={columns}
      searched={SEARCHED}
      commands={LIST_COMMANDS[of.resource]}
      more={of.kind === 'VirtualClusterInstance' && <ImportButton projects={projects} />}
      creating={
        // Nothing creates virtual clusters: they are imported.
        of.kind === 'VirtualClusterInstance' || projects.length === 0
          ? undefined
          : (onClose) => <CreateSpace projects={projects} onClose={onClose} />
      }
    />
  );
}

const columnsOf = (
  { instances: { columns } }: Texts,
  of: InstanceKind,
  prefix: string | undefined,
): readonly Column<Row>[] => [
  objectColumn(of.resource, columns.name),
  {
    name: 'phase',
    width: '1.7fr',
    label: columns.phase,
    value: ({ cells }) => cells.Phase ?? '',
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
    value: ({ metadata: { namespace = '' } }) => namespace,
    cell: ({ metadata: { namespace = '' } }) => {
      const project = projectOf(namespace, prefix);
      return project === '' ? namespace : <ObjectLink resource={PROJECTS} name={project} />;
    },
  },
  cellColumn(columns.cluster, 'Cluster'),
  ageColumn(columns.age),
];
