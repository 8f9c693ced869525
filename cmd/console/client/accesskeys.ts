/** Access keys: what the pages show of them, when they expire, and the requests that change them. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import { objects, type Form } from './forms.js';
import type { ObjectMeta } from '../../../api/resource.js';
import { createObject } from './one.js';
import { pathOf } from './paths.js';
import { send } from './request.js';
import { placeOf, type KeyPlace, type NewPlace } from './newkeys/keyplace.js';
import { namedView, type NamedView } from './views.js';
import { hasWords, wordsOf } from './words.js';

export interface AccessKeyView extends NamedView {
  readonly resource: string;
  /** The user, the team, the subject or the project. */
  readonly owner: string;
  /** Of a key of a project: where it has which role. */
  readonly place: KeyPlace | undefined;
  readonly type: string;
  readonly disabled: boolean;
  /** In ms since 1970; undefined: the key does not expire. */
  readonly expires: number | undefined;
  /** RFC 3339; undefined: the key was never used. */
  readonly lastActivity: string | undefined;
  readonly scope: Scope | undefined;
}

export const ACCESS_KEYS = 'ownedaccesskeys';
/** Whoever may do this makes keys that outlive what they have logged in with, such as those of invitations. */
export const CREATE_UNLIMITED = {
  verb: 'create',
  resource: ACCESS_KEYS,
  subresource: 'unlimited',
  namespace: '',
  name: '',
} as const;
export const accessKeyForm = (): Form<AccessKeyView> => objects(keyViewOf);

export function keyViewOf(object: OwnedAccessKey): AccessKeyView {
  const { metadata, spec = {}, status = {} } = object;
  const { ttl = 0, ttlAfterLastActivity = false } = spec;
  const from = (ttlAfterLastActivity && status.lastActivity) || metadata.creationTimestamp || '';
  return {
    ...namedView(object),
    resource: ACCESS_KEYS,
    owner: spec.user || spec.team || spec.subject || spec.project || '',
    place: placeOf(spec),
    type: spec.type ?? 'User',
    disabled: spec.disabled ?? false,
    expires: ttl > 0 ? Date.parse(from) + ttl * 1000 : undefined,
    lastActivity: status.lastActivity,
    scope: spec.scope,
  };
}

export type KeyState = 'enabled' | 'disabled' | 'expired';

/** `now`: ms since 1970. */
export function stateOf({ disabled, expires }: AccessKeyView, now: number): KeyState {
  if (expires !== undefined && expires <= now) return 'expired';
  return disabled ? 'disabled' : 'enabled';
}

/** Keys for programs and people, or of logins that have not ended; or those in one state; or all. */
export type KeyFilter = 'keys' | 'logins' | 'all' | KeyState;

export function keysIn(
  keys: readonly AccessKeyView[],
  filter: KeyFilter,
  now: number,
): readonly AccessKeyView[] {
  switch (filter) {
    case 'all':
      return keys;
    case 'keys':
      return keys.filter(({ type }) => type !== 'Login');
    case 'logins':
      return keys.filter((key) => key.type === 'Login' && stateOf(key, now) === 'enabled');
    default:
      return keys.filter((key) => stateOf(key, now) === filter);
  }
}

export interface NewAccessKey {
  readonly name: string;
  readonly displayName: string;
  /** In seconds; 0: as long as the server lets it live. */
  readonly ttl: number;
  readonly scope: Scope | undefined;
  /** Undefined: the key is the user's own. */
  readonly place?: NewPlace | undefined;
}

/**
 * Returns the object with the key in `spec.key`. The server returns the key only in this response. Rejects with
 * ApiError.
 */
export const createAccessKey = ({
  name,
  displayName,
  ttl,
  scope,
  place,
}: NewAccessKey): Promise<OwnedAccessKey> =>
  createObject(ACCESS_KEYS, '', {
    kind: 'OwnedAccessKey',
    metadata: name === '' ? { generateName: 'key-' } : { name },
    spec: {
      ...(displayName !== '' && { displayName }),
      ...(ttl > 0 && { ttl }),
      ...(scope !== undefined && { scope }),
      ...place,
    },
  });

/**
 * The longest life of a new key, in seconds, as the server would set it now; undefined: it needs no end. Rejects with
 * ApiError where there may be no such key.
 */
export async function longestLife(
  place: NewPlace | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const metadata = { generateName: 'key-' };
  const body = {
    apiVersion: 'management.svc.example/v1',
    kind: 'OwnedAccessKey',
    metadata,
    spec: { ...place },
  };
  const path = `${pathOf(ACCESS_KEYS)}?dryRun=All`;
  return (await send<OwnedAccessKey>('POST', path, { body, signal })).spec?.ttl;
}

export const setDisabled = ({ metadata }: AccessKeyView, disabled: boolean): Promise<unknown> =>
  patchKey(metadata, { disabled });

/** Every use of a key changes its resourceVersion, so the patch names none. */
const patchKey = ({ name }: ObjectMeta, spec: object): Promise<unknown> =>
  send('PATCH', `${pathOf(ACCESS_KEYS, '', name)}?fieldManager=console`, {
    contentType: 'application/merge-patch+json',
    body: { spec },
  });

/** Gives a key another value; the former one is refused from then on. Rejects with ApiError. */
export const rotateKey = (metadata: ObjectMeta, key: string): Promise<unknown> => patchKey(metadata, { key });

/** The keys whose names or owner contain every word of the text, the newest first. */
export function searchKeys(keys: readonly AccessKeyView[], text: string): AccessKeyView[] {
  const words = wordsOf(text);
  const madeAt = ({ metadata }: AccessKeyView): string => metadata.creationTimestamp ?? '';
  return keys
    .filter(({ metadata, displayName, owner }) =>
      hasWords(`${metadata.name ?? ''} ${displayName} ${owner}`.toLowerCase(), words),
    )
    .sort((one, other) => madeAt(other).localeCompare(madeAt(one)));
}
