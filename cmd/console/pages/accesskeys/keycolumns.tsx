import { TIME_WIDTH } from '../../ui/lists/columns.js';
import { ACCESS_KEYS, stateOf, type AccessKeyView } from '../../client/accesskeys.js';
import type { Texts } from '../../texts/en.js';
import { useNow } from '../../ui/usenow.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { When } from '../../ui/when.js';
import { ObjectLink } from '../object/objectlink.js';
import { KeyOwner } from './keyowner.js';
import { KeyState } from './keystate.js';

/** A time far in the future: keys without an end are sorted after all others. */
const NEVER = '9999';
const textOf = (at: number | undefined): string => (at === undefined ? NEVER : new Date(at).toISOString());

export const keyColumns = ({ keys }: Texts): readonly Column<AccessKeyView>[] => [
  {
    name: 'name',
    width: '1.8fr',
    label: keys.columns.name,
    cell: ({ metadata: { name = '' }, displayName }) => (
      <ObjectLink resource={ACCESS_KEYS} name={name}>
        {displayName || name}
      </ObjectLink>
    ),
    value: ({ metadata: { name = '' }, displayName }) => displayName || name,
  },
  {
    name: 'state',
    width: '1.5fr',
    label: keys.columns.state,
    cell: (key) => <StateNow shown={key} />,
    value: (key) => stateOf(key, Date.now()),
  },
  {
    name: 'owner',
    label: keys.columns.owner,
    width: '1.2fr',
    cell: (key) => <KeyOwner shown={key} />,
    value: ({ owner }) => owner,
  },
  {
    name: 'ends',
    width: TIME_WIDTH,
    label: keys.columns.expires,
    cell: ({ expires }) => (expires === undefined ? keys.noEnd : <When at={expires} />),
    value: ({ expires }) => textOf(expires),
  },
  {
    name: 'used',
    width: TIME_WIDTH,
    label: keys.columns.used,
    cell: ({ lastActivity }) =>
      lastActivity === undefined ? keys.never : <When at={Date.parse(lastActivity)} />,
    value: ({ lastActivity = '' }) => lastActivity,
  },
];

const StateNow = ({ shown }: { readonly shown: AccessKeyView }) => <KeyState shown={shown} now={useNow()} />;
