import { Suspense, useMemo } from 'react';
import { LIST_COMMANDS } from '../../client/commands/pagecommands.js';
import { switchKeyCommand } from '../../client/commands/actioncommands.js';
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
import { useMay } from '../../client/reviews.js';
import { placeName } from '../../client/searchrows.js';
import { useLive } from '../../live/uselive.js';
import { isSessionKey } from '../../session/session.js';
import { lazyPart } from '../../shell/lazypart.js';
import { useTexts } from '../../texts/texts.js';
import { Confirm } from '../../ui/confirm.js';
import { Choice } from '../../ui/fields/choice.js';
import { ActOnMany, NAMED } from '../../ui/lists/actonmany.js';
import { RowsPage } from '../../ui/lists/listpage.js';
import { useEach } from '../../ui/lists/useeach.js';
import { useShown } from '../../ui/lists/usesearchtext.js';
import { keyColumns } from './keycolumns.js';

const CreateAccessKey = lazyPart(() => import('./createaccesskey.js'), 'CreateAccessKey');

/** What is shown at first: keys for programs and people, and not those of logins. */
const FIRST: KeyFilter = 'keys';

/** The access keys that the user can see. */
export function AccessKeysPage() {
  const texts = useTexts();
  const { filters } = texts.keys;
  const state = useLive<AccessKeyView>(pathOf(ACCESS_KEYS), 'key', accessKeyForm);
  const mayCreate = useMay({ verb: 'create', resource: ACCESS_KEYS, namespace: '', name: '' });
  const [shown, setShown] = useShown();
  const filter = isFilter(shown, filters) ? shown : FIRST;
  const columns = useMemo(() => keyColumns(texts), [texts]);
  const find = useMemo(
    () => (keys: readonly AccessKeyView[], text: string) =>
      searchKeys(keysIn(keys, filter, Date.now()), text),
    [filter],
  );
  return (
    <RowsPage
      texts={texts.keys}
      state={state}
      find={find}
      columns={columns}
      commands={LIST_COMMANDS.ownedaccesskeys}
      filters={
        <Choice
          label={texts.keys.filter}
          value={filter}
          options={filters}
          onChange={(next) => setShown(next === FIRST ? '' : next)}
        />
      }
      many={(keys) => <DisableMany keys={keys} />}
      creating={
        mayCreate
          ? (onClose) => (
              <Suspense fallback={null}>
                <CreateAccessKey onClose={onClose} />
              </Suspense>
            )
          : undefined
      }
    />
  );
}

const isFilter = (name: string, filters: Readonly<Record<KeyFilter, string>>): name is KeyFilter =>
  Object.hasOwn(filters, name);

/** Disables those of the selected keys that the user may change, but those with which this session ends. */
function DisableMany({ keys }: { readonly keys: readonly AccessKeyView[] }) {
  const { keys: texts } = useTexts();
  const { run, running } = useEach((key: AccessKeyView) => setDisabled(key, true));
  return (
    <ActOnMany
      verb="patch"
      rows={keys.filter(({ disabled, metadata: { name = '' } }) => !disabled && !isSessionKey(name))}
      label={texts.disableMany}
    >
      {(asked, onClose) => (
        <Confirm
          title={texts.disableMany(asked.length)}
          question={texts.disableQuestion(
            asked.slice(0, NAMED).map(placeName).join(', '),
            asked.length - NAMED,
          )}
          action={texts.disable}
          commands={asked.slice(0, NAMED).map((key) => switchKeyCommand(placeName(key), true))}
          running={running}
          onClose={onClose}
          onConfirm={() => run(asked)}
        />
      )}
    </ActOnMany>
  );
}
