import { useDeferredValue, useMemo, useState, type ReactNode } from 'react';
import { tableRows, type Row } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { rowKey, searchRows } from '../../client/searchrows.js';
import { useLive } from '../../live/uselive.js';
import type { LiveState } from '../../live/livelist.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../button.js';
import { Commands } from '../commands.js';
import { LiveNote } from '../livestate.js';
import { Page } from '../page.js';
import { TextField } from '../fields/textfield.js';
import { DeleteMany } from './deletemany.js';
import { inOrder } from './inorder.js';
import { Picked } from './picked.js';
import { useSearchText, useSorting } from './usesearchtext.js';
import { useSelection } from './useselection.js';
import { VirtualRows, type Column } from './virtualrows.js';

interface ListTexts {
  readonly title: string;
  readonly search: string;
  /** Set where there is `creating`. */
  readonly create?: string;
  readonly none: string;
  readonly count: (shown: number, all: number) => string;
}

interface RowsProps {
  readonly texts: ListTexts;
  readonly state: LiveState<Row>;
  readonly columns: readonly Column<Row>[];
  readonly commands: readonly string[];
  /** The columns of the server's table that are searched, besides the name. */
  readonly searched?: readonly string[];
  /** Buttons besides the one that creates an object. */
  readonly more?: ReactNode;
  /** What can be done with selected objects, besides deleting them. */
  readonly many?: (rows: readonly Row[]) => ReactNode;
  /** The dialog that creates an object; absent: the user may not create one. */
  readonly creating?: ((onClose: () => void) => ReactNode) | undefined;
}

export interface Props extends Omit<RowsProps, 'state'> {
  readonly resource: string;
}

const NONE: readonly string[] = [];

/** A page with the objects of one resource. */
export function ListPage({ resource, ...props }: Props) {
  const state = useLive<Row>(pathOf(resource), 'table', tableRows);
  return <RowsPage state={state} {...props} />;
}

/**
 * A page with the rows of server-side tables, which do not contain the data of objects. The list is live, can be
 * searched, and may have any length.
 */
export function RowsPage(props: RowsProps) {
  const { texts, state, columns, commands, searched = NONE, more, creating, many } = props;
  const [query, setQuery] = useSearchText();
  const { state: states } = useTexts();
  // A user who may not list the objects sees an empty list.
  const refused = state.status === 'refused' && state.error?.code === 403;
  const shown = state.status !== 'loading' && !refused;
  const [open, setOpen] = useState(false);
  const wanted = useDeferredValue(query);
  const matching = useMemo(() => searchRows(state.items, wanted, searched), [state.items, wanted, searched]);
  const [sorting, sortBy] = useSorting();
  const found = useMemo(
    () => inOrder(matching, columns, sorting),
    [matching, columns, sorting?.by, sorting?.descending],
  );
  const selection = useSelection(found, rowKey);
  return (
    <Page
      title={texts.title}
      actions={
        <>
          {more}
          {creating !== undefined && (
            <Button look="main" onPress={() => setOpen(true)}>
              {texts.create}
            </Button>
          )}
        </>
      }
    >
      <div className="bar">
        <TextField label={texts.search} type="search" value={query} onChange={setQuery} />
        <p className="hint" role="status">
          {state.status === 'loading' && states.loading}
          {shown && texts.count(found.length, state.items.length)}
        </p>
      </div>
      {!refused && <LiveNote state={state} />}
      <Picked selection={selection}>
        {many?.(selection.selected)}
        <DeleteMany rows={selection.selected} onDone={() => selection.setAll([])} />
      </Picked>
      {found.length === 0 && state.status !== 'loading' ? (
        <div className="empty">{query === '' || refused ? states.empty : texts.none}</div>
      ) : (
        <VirtualRows
          label={texts.title}
          columns={columns}
          items={found}
          keyOf={rowKey}
          nameOf={nameOf}
          sorting={sorting}
          onSort={sortBy}
          selection={selection}
        />
      )}
      <Commands lines={commands} />
      {open && creating?.(() => setOpen(false))}
    </Page>
  );
}

const nameOf = ({ metadata: { name = '' } }: Row): string => name;
