import { useCommand } from '../../client/commands/placecommands.js';
import type { InstanceKind, InstanceView } from '../../client/instances.js';
import { useTexts } from '../../texts/texts.js';
import { CommandLine } from '../../ui/commands.js';

export interface Props {
  readonly of: InstanceKind;
  readonly view: InstanceView;
  /** Empty until it is known. */
  readonly project: string;
}

/** Why an instance is not ready, if the server gives no message, and how to use the instance when it is ready. */
export function WhatNext({ of, view: { metadata, phase, message, clusterRef }, project }: Props) {
  const { instances: texts } = useTexts();
  const { name = '', deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined || project === '') return null;
  if (phase === 'Ready')
    return (
      <>
        <p className="hint">{texts.use}</p>
        <CommandLine line={useCommand(of.noun, name, project)} />
      </>
    );
  const isPrepared = phase === 'Pending' && message === '' && (clusterRef.cluster ?? '') !== '';
  return isPrepared ? <p className="hint">{texts.prepared}</p> : null;
}
