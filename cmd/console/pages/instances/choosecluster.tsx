import { useState } from 'react';
import { patchCommand } from '../../client/commands/actioncommands.js';
import { SPACE, type InstanceView } from '../../client/instances.js';
import { patchSpec } from '../../client/one.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Choice } from '../../ui/fields/choice.js';
import { FormDialog } from '../../ui/formdialog.js';

export interface Props {
  readonly view: InstanceView;
  /** Labels by name, of those that the project allows. */
  readonly clusters: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}

/** Puts a space that has no cluster on one that its project allows. */
export function ChooseCluster({ view: { metadata }, clusters, onClose }: Props) {
  const { instances: texts, actions } = useTexts();
  const [cluster, setCluster] = useState(() => Object.keys(clusters)[0] ?? '');
  const spec = { clusterRef: { cluster } };
  return (
    <FormDialog
      title={texts.chooseCluster}
      action={actions.save}
      shown={['spec.clusterRef']}
      commands={[patchCommand(SPACE.resource, metadata, spec)]}
      onClose={onClose}
      onSubmit={() => patchSpec(SPACE.resource, metadata, spec)}
    >
      {(error) => (
        <Choice
          label={texts.cluster}
          hint={texts.clusterHint}
          value={cluster}
          options={clusters}
          onChange={setCluster}
          errors={causesOf(error, 'spec.clusterRef')}
        />
      )}
    </FormDialog>
  );
}
