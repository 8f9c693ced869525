import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { connectCommands } from '../../client/commands/placecommands.js';
import { clusterForm, CLUSTERS, type ClusterView } from '../../client/clusters.js';
import { nameProblem } from '../../client/names.js';
import { pathOf } from '../../client/paths.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { CommandLine } from '../../ui/commands.js';
import { Dialog } from '../../ui/dialog.js';
import { NameFields, NO_NAMES } from '../../ui/fields/namefields.js';
import { Phase } from '../../ui/phase.js';

/**
 * The commands that connect a cluster, and whether it is connected. The kubeconfig is used in the terminal, and never
 * in the browser.
 */
export function ConnectCluster({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts();
  const [names, setNames] = useState(NO_NAMES);
  const { name, displayName } = names;
  const named = name !== '' && nameProblem(name, 'subdomain') === undefined;
  return (
    <Dialog title={texts.clusters.create} onClose={onClose}>
      <p>{texts.clusters.connectHint}</p>
      <NameFields names={names} onChange={setNames} />
      <ol className="steps">
        {connectCommands(named ? name : 'NAME', displayName).map((line, at) => (
          <li key={at}>
            {texts.clusters.steps[at]}
            <CommandLine line={line} />
          </li>
        ))}
        <li>
          {texts.clusters.waiting}
          <Arrival name={named ? name : undefined} />
        </li>
      </ol>
      <div className="buttons">
        <Button onPress={onClose}>{texts.actions.close}</Button>
      </div>
    </Dialog>
  );
}

/** Shows, live, whether the cluster is connected. */
function Arrival({ name }: { readonly name: string | undefined }) {
  const { clusters: texts } = useTexts();
  const { items } = useLive<ClusterView>(pathOf(CLUSTERS), 'cluster', clusterForm);
  const cluster = items.find(({ metadata }) => metadata.name === name);
  return (
    <p role="status">
      {cluster === undefined ? (
        <span className="hint">{texts.notYet}</span>
      ) : (
        <>
          <Link to="/clusters/$name" params={{ name: name ?? '' }}>
            {name}
          </Link>{' '}
          <Phase phase={cluster.phase} reason={cluster.reason} /> {cluster.message}
        </>
      )}
    </p>
  );
}
