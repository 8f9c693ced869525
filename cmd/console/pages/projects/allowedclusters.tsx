import { useState } from 'react';
import { allowClusterCommand } from '../../client/commands/placecommands.js';
import type { ProjectView } from '../../client/projects.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { CommandLine } from '../../ui/commands.js';
import { Tags } from '../../ui/tags.js';
import { AllowCluster } from './allowcluster.js';
import { useAllowable } from './useusableclusters.js';

/** The clusters that a project allows, with a button for users who may allow another. */
export function AllowedClusters({ project }: { readonly project: ProjectView }) {
  const { projects: texts } = useTexts();
  const [asked, setAsked] = useState(false);
  const clusters = useAllowable(project);
  const mayAllow = clusters.length > 0;
  return (
    <section aria-labelledby="clusters">
      <div className="section-head">
        <h2 id="clusters">{texts.clusters}</h2>
        {mayAllow && <Button onPress={() => setAsked(true)}>{texts.allowCluster}</Button>}
      </div>
      {project.clusters.length === 0 && (
        <>
          <p className="empty">{texts.noClusters}</p>
          {!mayAllow && <p className="hint">{texts.askForCluster}</p>}
          <CommandLine line={allowClusterCommand(project.metadata.name ?? '', '')} />
        </>
      )}
      <p>
        <Tags texts={project.clusters.map((one) => (one === '*' ? texts.allClusters : one))} />
      </p>
      {asked && <AllowCluster project={project} clusters={clusters} onClose={() => setAsked(false)} />}
    </section>
  );
}
