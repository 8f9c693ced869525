import { deleteCommand } from '../../client/commands/actioncommands.js';
import { deleteObject } from '../../client/one.js';
import { placeName, type RowId } from '../../client/searchrows.js';
import { ApiError } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Confirm } from '../confirm.js';
import { ActOnMany, NAMED } from './actonmany.js';
import { useEach } from './useeach.js';

export interface DeleteTexts {
  readonly deleteQuestion: (name: string) => string;
  /** What is lost with several. */
  readonly deleteLoss: string;
}

export interface Props {
  readonly rows: readonly RowId[];
  readonly texts: DeleteTexts;
  readonly onDone: () => void;
}

/** Deletes those of the selected objects that the user may delete, and that are not being deleted. */
export function DeleteMany({ rows, texts, onDone }: Props) {
  const { lists, actions } = useTexts();
  const { run, running } = useEach(({ resource, metadata }: RowId) =>
    deleteObject(resource, metadata).catch(unlessGone),
  );
  return (
    <ActOnMany
      verb="delete"
      look="danger"
      rows={rows.filter(({ metadata }) => metadata.deletionTimestamp === undefined)}
      label={lists.delete}
    >
      {(asked, onClose) => {
        const names = asked.map(placeName).slice(0, NAMED).join(', ');
        const [only] = asked.length === 1 ? asked : [];
        return (
          <Confirm
            title={lists.delete(asked.length)}
            question={
              only === undefined
                ? lists.deleteQuestion(names, asked.length - NAMED, texts.deleteLoss)
                : texts.deleteQuestion(names)
            }
            action={actions.delete}
            typed={only?.metadata.name ?? String(asked.length)}
            commands={asked.slice(0, NAMED).map((row) => deleteCommand(row.resource, row.metadata))}
            running={running}
            onClose={onClose}
            onConfirm={async () => {
              await run(asked);
              onDone();
            }}
          />
        );
      }}
    </ActOnMany>
  );
}

/** Somebody else may have deleted it, or the same person before a stop. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 404) throw error;
}
