import { useState } from 'react';
import type { ObjectMeta } from '../../../../api/resource.js';
import { deleteCommand } from '../../client/commands/actioncommands.js';
import { deleteObject } from '../../client/one.js';
import { useMay } from '../../client/reviews.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';

export interface Props {
  readonly resource: string;
  readonly metadata: ObjectMeta;
  /** What is lost, for the person to think about. */
  readonly question: string;
  /** Where to go when it is done. */
  readonly onDeleted: () => Promise<unknown>;
}

/** Deletes an object when its name was typed; offered to whoever may, once. */
export function DeleteObject({ resource, metadata, question, onDeleted }: Props) {
  const texts = useTexts();
  const [asked, setAsked] = useState(false);
  const { name = '', namespace = '', resourceVersion, deletionTimestamp } = metadata;
  const mayDelete = useMay({ verb: 'delete', resource, namespace, name }, resourceVersion);
  if (!mayDelete || deletionTimestamp !== undefined) return null;
  return (
    <>
      <Button look="danger" onPress={() => setAsked(true)}>
        {texts.actions.delete}
      </Button>
      {asked && (
        <Confirm
          title={texts.actions.delete}
          question={question}
          action={texts.actions.delete}
          typed={name}
          commands={[deleteCommand(resource, metadata)]}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await deleteObject(resource, metadata);
            await onDeleted();
          }}
        />
      )}
    </>
  );
}
