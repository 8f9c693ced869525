import { useState } from 'react';
import { patchCommand } from '../../client/commands/actioncommands.js';
import { allowClusterCommand } from '../../client/commands/placecommands.js';
import { SPACE, type InstanceView } from '../../client/instances.js';
import { onePath } from '../../client/one.js';
import { projectForm, PROJECTS, type ProjectView } from '../../client/projects.js';
import { useMay } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { CommandLine } from '../../ui/commands.js';
import { ReadFault } from '../../ui/fault.js';
import { AllowCluster } from '../projects/allowcluster.js';
import { useAllowable } from '../projects/useusableclusters.js';
import { ChooseCluster } from './choosecluster.js';
import { useClusters } from './useclusters.js';

export interface Props {
  readonly view: InstanceView;
  readonly project: string;
}

/** What helps a space that waits for a cluster, by what its project allows and what the user may do. */
export function NoCluster({ view, project }: Props) {
  const { instances: texts } = useTexts();
  const { clusters, error, asking } = useClusters(project);
  const { items } = useLive<ProjectView>(onePath(PROJECTS, '', project), 'project', projectForm);
  const [found] = items;
  if (asking) return null;
  if (error !== undefined) return <ReadFault error={error} />;
  if (Object.keys(clusters).length > 0) return <Choosing view={view} clusters={clusters} />;
  return (
    <>
      <p className="hint">{texts.noneAllowed(project)}</p>
      {found !== undefined && <Allowing project={found} />}
      <CommandLine line={allowClusterCommand(project, '')} />
    </>
  );
}

function Choosing({
  view,
  clusters,
}: {
  readonly view: InstanceView;
  readonly clusters: Readonly<Record<string, string>>;
}) {
  const { instances: texts } = useTexts();
  const [asked, setAsked] = useState(false);
  const { metadata, owner } = view;
  const { name = '', namespace = '', resourceVersion } = metadata;
  const may = useMay({ verb: 'patch', resource: SPACE.resource, namespace, name }, resourceVersion);
  return (
    <>
      {may ? (
        <Button look="main" onPress={() => setAsked(true)}>
          {texts.chooseCluster}
        </Button>
      ) : (
        <p className="hint">{texts.askToChoose(owner.user || owner.team || '')}</p>
      )}
      <CommandLine
        line={patchCommand(SPACE.resource, metadata, {
          clusterRef: { cluster: Object.keys(clusters)[0] ?? 'NAME' },
        })}
      />
      {asked && <ChooseCluster view={view} clusters={clusters} onClose={() => setAsked(false)} />}
    </>
  );
}

function Allowing({ project }: { readonly project: ProjectView }) {
  const { projects: texts } = useTexts();
  const [asked, setAsked] = useState(false);
  const clusters = useAllowable(project);
  if (clusters.length === 0) return <p className="hint">{texts.askForCluster}</p>;
  return (
    <>
      <Button look="main" onPress={() => setAsked(true)}>
        {texts.allowCluster}
      </Button>
      {asked && <AllowCluster project={project} clusters={clusters} onClose={() => setAsked(false)} />}
    </>
  );
}
