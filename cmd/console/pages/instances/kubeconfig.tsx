import { useState } from 'react';
import type { ObjectMeta } from '../../../../api/resource.js';
import { kubeConfigCommand, useCommand } from '../../client/commands/placecommands.js';
import { readKubeConfig } from '../../client/instances.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Commands } from '../../ui/commands.js';
import { CopyButton } from '../../ui/copybutton.js';
import { Dialog } from '../../ui/dialog.js';
import { Fault } from '../../ui/fault.js';
import { saveFile } from '../../ui/savefile.js';

export interface Props {
  readonly metadata: ObjectMeta;
  readonly project: string;
  readonly onClose: () => void;
}

/** Downloads or copies a kubeconfig of a virtual cluster. The page does not show it. */
export function KubeConfig({ metadata, project, onClose }: Props) {
  const texts = useTexts();
  const [error, setError] = useState<unknown>();
  const { name = '' } = metadata;
  const save = async (): Promise<void> => {
    setError(undefined);
    saveFile(`${name}.yaml`, await readKubeConfig(metadata));
  };
  return (
    <Dialog title={texts.instances.kubeConfig} onClose={onClose}>
      <p>{texts.instances.kubeConfigHint}</p>
      <div className="buttons start">
        <Button look="main" onPress={() => void save().catch(setError)}>
          {texts.instances.download}
        </Button>
        <CopyButton text={() => readKubeConfig(metadata)} onError={setError} />
      </div>
      <Fault error={error} />
      <Commands lines={[useCommand('vcluster', name, project), kubeConfigCommand(name, project)]} />
      <div className="buttons">
        <Button onPress={onClose}>{texts.actions.close}</Button>
      </div>
    </Dialog>
  );
}
