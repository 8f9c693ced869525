import { ACCESS_KEYS, stateOf, type AccessKeyView } from '../../client/accesskeys.js';
import type { Texts } from '../../texts/en.js';
import { useNow } from '../../ui/usenow.js';
import type { Column } from '../../ui/lists/virtualrows.js';
import { When } from '../../ui/when.js';
import { ObjectLink } from '../object/objectlink.js';
import { KeyState } from './keystate.js';

/** A time far in the future: keys without an end are sorted after all others. */
const NEVER = '9999';
const textOf = (at: number | undefined): string => (at === undefined ? NEVER : new Date(at).toISOString());

export const keyColumns = ({ keys }: Texts): readonly Column<AccessKeyView>[] => [
  {
    name: 'name',
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
    label: keys.columns.state,
    cell: (key) => <StateNow shown={key} />,
    value: (key) => stateOf(key, Date.now()),
  },
  { name: 'owner', label: keys.columns.owner, cell: ({ owner }) => owner, value: ({ owner }) => owner },
  {
    name: 'ends',
    label: keys.columns.expires,
    cell: ({ expires }) => (expires === undefined ? keys.noEnd : <When at={expires} />),
    value: ({ expires }) => textOf(expires),
  },
  {
    name: 'used',
    label: keys.columns.used,
    cell: ({ lastActivity }) =>
      lastActivity === undefined ? keys.never : <When at={Date.parse(lastActivity)} />,
    value: ({ lastActivity = '' }) => lastActivity,
  },
];

const StateNow = ({ shown }: { readonly shown: AccessKeyView }) => <KeyState shown={shown} now={useNow()} />;
