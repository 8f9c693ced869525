import { useDeferredValue, useMemo, useState, type ReactNode } from 'react';
import { tableRows, type Row } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { rowKey, searchRows } from '../../client/searchrows.js';
import { useLive } from '../../live/uselive.js';
import type { LiveState } from '../../live/livelist.js';
import { messageOf } from '../../texts/messageof.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../button.js';
import { Commands } from '../commands.js';
import { LiveNote } from '../livestate.js';
import { Page } from '../page.js';
import { TextField } from '../fields/textfield.js';
import { useSearchText } from './usesearchtext.js';
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
  const { texts, state, columns, commands, searched = NONE, more, creating } = props;
  const [query, setQuery] = useSearchText();
  const all = useTexts();
  const { state: states } = all;
  // A user who may not list the objects sees an empty list.
  const refused = state.status === 'refused' && state.error?.code === 403;
  const shown = state.status !== 'loading' && !refused;
  const [open, setOpen] = useState(false);
  const wanted = useDeferredValue(query);
  const found = useMemo(() => searchRows(state.items, wanted, searched), [state.items, wanted, searched]);
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
      {found.length === 0 && state.status !== 'loading' ? (
        <div className="empty">
          {query === '' || refused ? states.empty : texts.none}
          {refused && <p className="hint">{messageOf(state.error, all)}</p>}
        </div>
      ) : (
        <VirtualRows label={texts.title} columns={columns} items={found} keyOf={rowKey} />
      )}
      <Commands lines={commands} />
      {open && creating?.(() => setOpen(false))}
    </Page>
  );
}
