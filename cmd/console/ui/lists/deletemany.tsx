import { useState } from 'react';
import { deleteCommand } from '../../client/commands/actioncommands.js';
import { rowKey, type RowId } from '../../client/searchrows.js';
import { deleteObject } from '../../client/one.js';
import { useAllowedEach } from '../../client/reviews.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../button.js';
import { Confirm } from '../confirm.js';
import { useEach } from './useeach.js';

/** The maximum number of objects that are deleted at once; each has an access review. */
const MAX = 100;
/** The number of objects that are named, and of commands. */
const NAMED = 10;

export interface Props {
  readonly rows: readonly RowId[];
  readonly onDone: () => void;
}

/** Deletes those of the selected objects that the user may delete. */
export function DeleteMany({ rows, onDone }: Props) {
  const { lists: texts, actions } = useTexts();
  const [asked, setAsked] = useState(false);
  const allowed = useAllowedEach(
    rows.slice(0, MAX).map(({ resource, metadata: { namespace = '', name = '' } }) => ({
      verb: 'delete',
      resource,
      namespace,
      name,
    })),
  );
  const keys = new Set(allowed.map((deed) => rowKey({ resource: deed.resource, metadata: deed })));
  const deleted = rows.filter((row) => keys.has(rowKey(row)));
  const names = deleted.map(({ metadata: { name = '' } }) => name);
  const deleteEach = useEach(({ resource, metadata }: RowId) => deleteObject(resource, metadata));
  if (deleted.length === 0) return <span className="hint">{texts.deleteNone}</span>;
  return (
    <>
      <Button look="danger" onPress={() => setAsked(true)}>
        {texts.delete(deleted.length)}
      </Button>
      {deleted.length < rows.length && (
        <span className="hint">{texts.notAll(rows.length - deleted.length)}</span>
      )}
      {asked && (
        <Confirm
          title={texts.delete(deleted.length)}
          question={texts.deleteQuestion(names.slice(0, NAMED).join(', '), names.length - NAMED)}
          action={actions.delete}
          typed={String(deleted.length)}
          commands={deleted.slice(0, NAMED).map((row) => deleteCommand(row.resource, row.metadata))}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await deleteEach(deleted);
            onDone();
          }}
        />
      )}
    </>
  );
}
