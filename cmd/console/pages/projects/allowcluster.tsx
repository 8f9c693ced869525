import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { allowClusterCommand } from '../../client/commands/placecommands.js';
import { allowCluster } from '../../client/projectedits/allowedclusters.js';
import type { ProjectView } from '../../client/projects.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import type { Suggestion } from '../../ui/suggest/suggestions.js';
import { undoably } from '../../ui/undostore.js';

export interface Props {
  readonly project: ProjectView;
  /** The clusters that the user may allow. */
  readonly clusters: readonly Suggestion[];
  readonly onClose: () => void;
}

/** Lets a project use one more cluster. */
export function AllowCluster({ project, clusters, onClose }: Props) {
  const { projects: texts, instances, actions, undo } = useTexts();
  const queries = useQueryClient();
  const { name = '' } = project.metadata;
  const [cluster, setCluster] = useState(() => clusters[0]?.id ?? '');
  const allow = async (): Promise<void> => {
    await undoably(undo.clusters(name), allowCluster(project, cluster.trim()));
    await queries.invalidateQueries({ queryKey: ['clusters', name] });
  };
  return (
    <FormDialog
      title={texts.allowCluster}
      action={actions.save}
      disabled={cluster.trim() === ''}
      shown={['spec.allowedClusters']}
      commands={[allowClusterCommand(name, cluster.trim())]}
      onClose={onClose}
      onSubmit={allow}
    >
      {(error) => (
        <SuggestField
          label={instances.cluster}
          hint={texts.allowHint}
          value={cluster}
          suggestions={clusters}
          errors={causesOf(error, 'spec.allowedClusters')}
          autoFocus
          onChange={setCluster}
        />
      )}
    </FormDialog>
  );
}
