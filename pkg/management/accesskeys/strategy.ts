import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { keyEnd } from './keyend.js';
import { humanAge } from '../../apimachinery/table.js';
import { ageColumn } from '../../registry/object/columns.js';
import type { Strategy, TableColumn } from '../../registry/strategy.js';
import { sameJson } from '../../registry/object/metadata.js';
import { MAX_KEY_BYTES } from '../limitedkinds.js';
import { textColumn } from '../columns.js';
import { scopeWarnings } from './scope/warnings.js';
import { keyState } from './keyrecord.js';
import { preserveOwner } from './owner.js';
import { projectKeyEffects } from './projectkeys/binding.js';
import { validateProjectKeyUpdate } from './projectkeys/validation.js';
import { validateAccessKey } from './validation.js';

/** The field manager of `status.lastActivity`. */
export const ACTIVITY_MANAGER = 'apiserver';

type Spec = NonNullable<OwnedAccessKey['spec']>;

const specOf = ({ spec = {} }: OwnedAccessKey): Spec => spec;

/** Keys are stored as hashes in private records. An update that omits the owner or the type keeps them. */
export const ownedAccessKeyStrategy: Strategy<OwnedAccessKey> = {
  generation: true,
  maxBytes: MAX_KEY_BYTES,
  decidesAccess: true,
  writeOnlyFields: keyState,
  columns: [
    textColumn<OwnedAccessKey>(
      'Display Name',
      'The name shown in the UI.',
      (key) => specOf(key).displayName ?? '',
    ),
    textColumn<OwnedAccessKey>('User', 'The user that the key refers to.', (key) => specOf(key).user ?? ''),
    textColumn<OwnedAccessKey>('Team', 'The team that the key refers to.', (key) => specOf(key).team ?? ''),
    textColumn<OwnedAccessKey>(
      'Project',
      'The project that the key belongs to.',
      (key) => specOf(key).project ?? '',
    ),
    textColumn<OwnedAccessKey>('Type', 'What the key is for.', (key) => specOf(key).type ?? ''),
    textColumn<OwnedAccessKey>('Scoped', 'Whether a scope narrows the key.', (key) =>
      String(specOf(key).scope !== undefined),
    ),
    timeColumn('Expires', 'When the key ends.', expires),
    timeColumn('Last Activity', 'How long ago the key was used last.', lastActivity),
    ageColumn(humanAge),
    textColumn<OwnedAccessKey>(
      'Role',
      'The role of the key in its project.',
      (key) => specOf(key).clusterRole ?? '',
      1,
    ),
    textColumn<OwnedAccessKey>(
      'Disabled',
      'Whether the key gives no access.',
      (key) => String(specOf(key).disabled ?? false),
      1,
    ),
  ],
  prepareForCreate(key) {
    key.status = {};
    key.spec = { ...specOf(key), type: specOf(key).type ?? 'User' };
  },
  prepareForUpdate(next, previous) {
    const before = specOf(previous);
    next.spec = { ...preserveOwner(next.spec, before) };
    if (next.spec.type === undefined && before.type !== undefined) next.spec.type = before.type;
    const { clusterRole = before.clusterRole, endsWithMaker = before.endsWithMaker } = next.spec;
    if (clusterRole !== undefined) next.spec.clusterRole = clusterRole;
    if (endsWithMaker !== undefined) next.spec.endsWithMaker = endsWithMaker;
  },
  validate: (key) => validateAccessKey(key),
  validateUpdate: (next, previous) => validateProjectKeyUpdate(specOf(next), specOf(previous)),
  effects: projectKeyEffects,
  warnings(next, previous) {
    const { scope } = specOf(next);
    const unchanged = previous !== undefined && sameJson(specOf(previous).scope, scope);
    return scope === undefined || unchanged ? [] : scopeWarnings('spec.scope', scope);
  },
  withoutOwnWrites: withoutActivity,
};

/** `status.lastActivity`, with its field manager. */
function withoutActivity(key: OwnedAccessKey): OwnedAccessKey {
  const { status, metadata } = key;
  const managedFields = (metadata.managedFields ?? []).filter(
    ({ manager, subresource }) => manager !== ACTIVITY_MANAGER || subresource !== 'status',
  );
  const { lastActivity: _, ...rest } = status ?? {};
  return { ...key, metadata: { ...metadata, managedFields }, status: rest };
}

function timeColumn(
  name: string,
  description: string,
  text: (key: OwnedAccessKey, now: number) => string,
): TableColumn<OwnedAccessKey> {
  return { name, type: 'string', format: '', description, priority: 0, cell: text };
}

function expires(key: OwnedAccessKey, now: number): string {
  const end = keyEnd(key, 0);
  if (end === undefined) return 'never';
  return end <= now ? 'expired' : `in ${humanAge(now, end)}`;
}

function lastActivity(key: OwnedAccessKey, now: number): string {
  const { lastActivity: at } = key.status ?? {};
  return at === undefined ? '<none>' : humanAge(Date.parse(at), now);
}
