import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createSpaceCommand } from '../../client/commands/placecommands.js';
import { createSpace, SPACE } from '../../client/instances.js';
import type { ProjectView } from '../../client/projects.js';
import { useMayKnown } from '../../client/reviews.js';
import { causesOf } from '../../client/status.js';
import { useNamespacePrefix } from '../../client/useprefix.js';
import { useTexts } from '../../texts/texts.js';
import { Choice } from '../../ui/fields/choice.js';
import { Commands } from '../../ui/commands.js';
import { ReadFault } from '../../ui/fault.js';
import { FormDialog } from '../../ui/formdialog.js';
import { NameFields, NO_NAMES } from '../../ui/fields/namefields.js';
import { ProjectChoice } from './projectchoice.js';
import { useClusters } from './useclusters.js';

export interface Props {
  /** The projects in which the user may create one. */
  readonly projects: readonly ProjectView[];
  readonly onClose: () => void;
}

const SHOWN = ['metadata.name', 'spec.clusterRef', 'spec.displayName'];

/** Creates a space in a project, on a cluster that the project allows. */
export function CreateSpace({ projects, onClose }: Props) {
  const texts = useTexts();
  const navigate = useNavigate();
  const [project, setProject] = useState(() => projects[0]?.metadata.name ?? '');
  const [names, setNames] = useState(NO_NAMES);
  const { name, displayName } = names;
  const [cluster, setCluster] = useState<string>();
  const namespace = (useNamespacePrefix() ?? '') + project;
  const may = useMayKnown({ verb: 'create', resource: SPACE.resource, namespace, name: '' });
  const { clusters: allowed, error: unknown, asking } = useClusters(project);
  const clusters = { '': texts.instances.noCluster, ...allowed };
  const chosen = cluster ?? Object.keys(clusters).find((one) => one !== '') ?? '';
  const create = async (): Promise<void> => {
    await createSpace({ namespace, name, displayName, cluster: chosen });
    await navigate({ to: '/spaces/$namespace/$name', params: { namespace, name } });
  };
  return (
    <FormDialog
      title={texts.instances.spaces.create}
      action={texts.actions.create}
      disabled={may === false}
      asking={may === undefined || asking}
      shown={SHOWN}
      onClose={onClose}
      onSubmit={create}
    >
      {(error) => (
        <>
          <NameFields names={names} nameHint={texts.instances.nameHint} error={error} onChange={setNames} />
          <ProjectChoice
            label={texts.instances.project}
            projects={projects}
            value={project}
            errors={may === false ? [texts.instances.mayNotCreate] : []}
            onChange={(next) => {
              setProject(next);
              setCluster(undefined);
            }}
          />
          <Choice
            label={texts.instances.cluster}
            hint={texts.instances.clusterHint}
            value={chosen}
            options={clusters}
            onChange={setCluster}
            errors={causesOf(error, 'spec.clusterRef')}
          />
          <ReadFault error={unknown} />
          <Commands lines={[createSpaceCommand({ name, project, cluster: chosen, displayName })]} />
        </>
      )}
    </FormDialog>
  );
}
