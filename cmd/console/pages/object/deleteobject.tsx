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
  /** Warns what data is lost. */
  readonly question: string;
  /** Navigates away after the deletion. */
  readonly onDeleted: () => Promise<unknown>;
}

/** Deletes an object after the user has typed its name. Shown only to users who may delete it. */
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
