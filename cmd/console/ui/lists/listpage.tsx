import { useDeferredValue, useMemo, useState, type ReactNode } from 'react';
import { tableRows, type Row } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { placeName, searchIn, type RowId } from '../../client/searchrows.js';
import { useLive } from '../../live/uselive.js';
import type { LiveState } from '../../live/livelist.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../button.js';
import { Commands } from '../commands.js';
import { LiveNote } from '../livestate.js';
import { Page } from '../page.js';
import { TextField } from '../fields/textfield.js';
import { DeleteMany, type DeleteTexts } from './deletemany.js';
import { inOrder } from './inorder.js';
import { Picked } from './picked.js';
import { useSearchText, useSorting } from './usesearchtext.js';
import { uidOf, useSelection } from './useselection.js';
import { VirtualRows, type Column } from './virtualrows.js';

interface ListTexts extends DeleteTexts {
  readonly title: string;
  readonly search: string;
  /** Set where there is `creating`. */
  readonly create?: string;
  readonly none: string;
  readonly count: (shown: number, all: number) => string;
}

interface RowsProps<Item> {
  readonly texts: ListTexts;
  readonly state: LiveState<Item>;
  /** The items that match a text; the same function as long as it finds the same. */
  readonly find: (items: readonly Item[], text: string) => readonly Item[];
  readonly columns: readonly Column<Item>[];
  readonly commands: readonly string[];
  /** Fields besides the one for the search text. */
  readonly filters?: ReactNode;
  /** Buttons besides the one that creates an object. */
  readonly more?: ReactNode;
  /** What can be done with selected objects, besides deleting them. */
  readonly many?: (rows: readonly Item[]) => ReactNode;
  /** The dialog that creates an object; absent: the user may not create one. */
  readonly creating?: ((onClose: () => void) => ReactNode) | undefined;
}

export interface Props extends Omit<RowsProps<Row>, 'state' | 'find'> {
  readonly resource: string;
  /** The columns of the server's table that are searched, besides the name. */
  readonly searched: readonly string[];
}

/** A page with the objects of one resource, as rows of server-side tables, which do not contain the data of objects. */
export function ListPage({ resource, searched, ...props }: Props) {
  const state = useLive<Row>(pathOf(resource), 'table', tableRows);
  const find = useMemo(() => searchIn(searched), [searched]);
  return <RowsPage state={state} find={find} {...props} />;
}

/** A page with a list, which is live, can be searched, and may have any length. */
export function RowsPage<Item extends RowId>(props: RowsProps<Item>) {
  const { texts, state, find, columns, commands, filters, more, creating, many } = props;
  const [query, setQuery] = useSearchText();
  const { state: states } = useTexts();
  // A user who may not list the objects sees an empty list.
  const refused = state.status === 'refused' && state.error?.code === 403;
  const isRead = state.status === 'live' || (state.status === 'stale' && state.items.length > 0);
  const [open, setOpen] = useState(false);
  const wanted = useDeferredValue(query);
  const matching = useMemo(() => find(state.items, wanted), [state.items, wanted, find]);
  const [sorting, sortBy] = useSorting();
  const found = useMemo(
    () => inOrder(matching, columns, sorting),
    [matching, columns, sorting?.by, sorting?.descending],
  );
  const selection = useSelection(found);
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
        {filters}
        <p className="hint" role="status">
          {state.status === 'loading' && states.loading}
          {isRead && texts.count(found.length, state.items.length)}
        </p>
      </div>
      {!refused && <LiveNote state={state} />}
      <Picked selection={selection}>
        {many?.(selection.selected)}
        <DeleteMany rows={selection.selected} texts={texts} onDone={() => selection.setAll([])} />
      </Picked>
      {found.length === 0 && (isRead || refused) ? (
        <div className="empty">{state.items.length === 0 ? states.empty : texts.none}</div>
      ) : (
        <VirtualRows
          label={texts.title}
          columns={columns}
          items={found}
          keyOf={uidOf}
          nameOf={placeName}
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
