import { Suspense, useDeferredValue, useMemo, useState } from 'react';
import {
  ACCESS_KEYS,
  accessKeyForm,
  keysIn,
  searchKeys,
  setDisabled,
  type AccessKeyView,
  type KeyFilter,
} from '../../client/accesskeys.js';
import { pathOf } from '../../client/paths.js';
import { useAllowedEach, useMay } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Commands } from '../../ui/commands.js';
import { Fault } from '../../ui/fault.js';
import { Choice } from '../../ui/fields/choice.js';
import { TextField } from '../../ui/fields/textfield.js';
import { DeleteMany } from '../../ui/lists/deletemany.js';
import { inOrder } from '../../ui/lists/inorder.js';
import { Picked } from '../../ui/lists/picked.js';
import { useEach } from '../../ui/lists/useeach.js';
import { useSearchText, useSorting } from '../../ui/lists/usesearchtext.js';
import { useSelection } from '../../ui/lists/useselection.js';
import { VirtualRows } from '../../ui/lists/virtualrows.js';
import { LiveNote } from '../../ui/livestate.js';
import { Page } from '../../ui/page.js';
import { lazyPart } from '../../shell/lazypart.js';
import { keyColumns } from './keycolumns.js';

const CreateAccessKey = lazyPart(() => import('./createaccesskey.js'), 'CreateAccessKey');

const keyOf = ({ metadata: { name = '' } }: AccessKeyView): string => name;

/** The access keys that the user can see: at first those for programs and people, and not those of logins. */
export function AccessKeysPage() {
  const texts = useTexts();
  const state = useLive<AccessKeyView>(pathOf(ACCESS_KEYS), 'key', accessKeyForm);
  const mayCreate = useMay({ verb: 'create', resource: ACCESS_KEYS, namespace: '', name: '' });
  const [creating, setCreating] = useState(false);
  const [filter, setFilter] = useState<KeyFilter>('keys');
  const [query, setQuery] = useSearchText();
  const wanted = useDeferredValue(query);
  const [sorting, sortBy] = useSorting();
  const columns = useMemo(() => keyColumns(texts), [texts]);
  const found = useMemo(
    () => inOrder(searchKeys(keysIn(state.items, filter, Date.now()), wanted), columns, sorting),
    [state.items, filter, wanted, columns, sorting?.by, sorting?.descending],
  );
  const selection = useSelection(found, keyOf);
  return (
    <Page
      title={texts.keys.title}
      actions={
        mayCreate && (
          <Button look="main" onPress={() => setCreating(true)}>
            {texts.keys.create}
          </Button>
        )
      }
    >
      <div className="bar">
        <TextField label={texts.keys.search} type="search" value={query} onChange={setQuery} />
        <Choice label={texts.keys.filter} value={filter} options={texts.keys.filters} onChange={setFilter} />
        <p className="hint" role="status">
          {state.status !== 'loading' && texts.keys.count(found.length, state.items.length)}
        </p>
      </div>
      <LiveNote state={state} />
      <Picked selection={selection}>
        <SwitchMany keys={selection.selected} />
        <DeleteMany
          rows={selection.selected.map(({ metadata }) => ({ resource: ACCESS_KEYS, metadata }))}
          onDone={() => selection.setAll([])}
        />
      </Picked>
      {found.length === 0 && state.status === 'live' ? (
        <p className="empty">{state.items.length === 0 ? texts.keys.none : texts.keys.noneFound}</p>
      ) : (
        <VirtualRows
          label={texts.keys.title}
          columns={columns}
          items={found}
          keyOf={keyOf}
          nameOf={keyOf}
          sorting={sorting}
          onSort={sortBy}
          selection={selection}
        />
      )}
      <Commands lines={['kubectl get ownedaccesskeys', 'platform list accesskey']} />
      <Suspense fallback={null}>
        {creating && <CreateAccessKey onClose={() => setCreating(false)} />}
      </Suspense>
    </Page>
  );
}

/** The maximum number of keys that are switched off at once; each has an access review. */
const MAX = 100;

/** Switches those of the selected keys off that the user may change, and that are on. */
function SwitchMany({ keys }: { readonly keys: readonly AccessKeyView[] }) {
  const { keys: texts } = useTexts();
  const [error, setError] = useState<unknown>();
  const on = keys.filter(({ disabled }) => !disabled).slice(0, MAX);
  const allowed = useAllowedEach(
    on.map((key) => ({ verb: 'patch', resource: ACCESS_KEYS, namespace: '', name: keyOf(key) })),
  );
  const each = useEach((key: AccessKeyView) => setDisabled(key, true));
  const switched = on.filter((key) => allowed.some(({ name }) => name === keyOf(key)));
  return (
    <>
      {switched.length > 0 && (
        <Button
          onPress={() => {
            setError(undefined);
            each(switched).catch(setError);
          }}
        >
          {texts.disableMany(switched.length)}
        </Button>
      )}
      <Fault error={error} />
    </>
  );
}
