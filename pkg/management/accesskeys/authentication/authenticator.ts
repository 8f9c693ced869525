import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { ACCESS_KEY } from '../names.js';
import { isMeantAsKey } from '../accesskey.js';
import { keyEnd } from '../keyend.js';
import type { Entry, ResourceCache } from '../../../cache/interface.js';
import { API_KEY_TYPES } from '../validation.js';
import { ADMIN } from '../../../authentication/administrator.js';
import { bearerToken } from '../../../authentication/bearer.js';
import { AUTHENTICATED } from '../../../authentication/groups.js';
import { MANAGEMENT_AUTHENTICATED } from '../../people/identities/identities.js';
import type { Identities, KnownTeam, KnownUser } from '../../people/identities/interface.js';
import {
  NONE,
  type Authentication,
  type Authenticator,
  type KeyFingerprint,
  type User,
} from '../../../authentication/interface.js';
import type { KeyIndex } from './keyindex.js';
import type { LastUsed } from './lastused.js';
import type { KeyLifetimes } from './lifetime.js';
import { keyHolder } from '../owner.js';
import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import { projectKeyAnswer } from '../projectkeys/answer.js';

const refused = (message: string): Authentication => ({ outcome: 'refused', message });
const UNAUTHORIZED = refused('Unauthorized');
const NOT_FOUND = refused('access key not found');
const DISABLED = refused('access key disabled');
const EXPIRED = refused('access key expired');

export interface AccessKeyParts {
  readonly index: KeyIndex;
  /** The objects of the keys. */
  readonly keys: ResourceCache<OwnedAccessKey>;
  /** The projects that keys may belong to. */
  readonly projects: Pick<ResourceCache<Project>, 'latest'>;
  readonly identities: Identities;
  readonly lastUsed: LastUsed;
  readonly lifetimes: Pick<KeyLifetimes, 'originEnd' | 'madeWithEnd'>;
  /** Whether a key was made as an administrator's; absent: none was. */
  readonly isAdministrators?: (name: string, uid: string | undefined) => boolean;
  /** ms since 1970. */
  readonly now?: () => number;
}

export interface AccessKeyAuthenticator extends Authenticator {
  /** The user of a key by its name, as if the request had the key. `again`: does not count as another use. */
  named(name: string, again: boolean): Authentication;
  /**
   * The user of a key, provided that it is still the same key and has no scope, which other servers could not enforce.
   */
  vouched(this: void, key: KeyFingerprint): Authentication;
}

/** Of one state of a key and its owner. */
interface Holder {
  readonly owner: KnownUser | KnownTeam | undefined;
  readonly administrators: boolean;
  readonly answer: Authentication;
}

/**
 * Access keys as bearer tokens. Each request reads the cached objects again, so that a revoked key ends with the next
 * request. Synchronous.
 */
export function accessKeyAuthenticator(parts: AccessKeyParts): AccessKeyAuthenticator {
  const { index, keys, projects, identities, lastUsed, lifetimes, now = Date.now } = parts;
  const { isAdministrators = () => false } = parts;
  /** Weak, as a referenced entry that is no longer stored holds cache memory, up to a whole slab. */
  const holders = new WeakMap<Entry, Holder>();

  function authenticateKey(name: string, entry: Entry<OwnedAccessKey>): Authentication {
    const key = entry.object();
    const { project = '' } = key.spec ?? {};
    if (project !== '') return projectKeyAnswer(key, projects.latest().get(project)?.object(), identities);
    const owner = ownerOf(key, identities);
    const administrators = isAdministrators(name, key.metadata.uid);
    const before = holders.get(entry);
    if (before?.owner === owner && before?.administrators === administrators) return before.answer;
    const answer = (administrators ? administratorOf(key) : undefined) ?? holderOf(key, owner);
    holders.set(entry, { owner, administrators, answer });
    return answer;
  }

  function named(name: string, again: boolean): Authentication {
    const entry = keys.latest().get(name);
    if (entry === undefined) return NOT_FOUND;
    const key = entry.object();
    const at = now();
    const end = keyEnd(key, key.spec?.ttlAfterLastActivity === true ? lastUsed.of(name) : 0);
    if (key.spec?.disabled === true) return DISABLED;
    if (end !== undefined && end <= at) return EXPIRED;
    const originEnd = lifetimes.originEnd(name);
    if (originEnd !== undefined && originEnd <= at) return EXPIRED;
    const answer = authenticateKey(name, entry);
    if (answer.outcome !== 'user') return answer;
    if (!again) lastUsed.used(name, at);
    return end === undefined ? answer : { ...answer, expires: end };
  }

  return {
    named,
    vouched(fingerprint) {
      const entry = keys.latest().get(fingerprint.name);
      if (entry === undefined || lifetimes.madeWithEnd(fingerprint) <= now()) return NOT_FOUND;
      const answer = authenticateKey(fingerprint.name, entry);
      return answer.outcome === 'user' && answer.user.scope !== undefined ? UNAUTHORIZED : answer;
    },
    authenticate({ authorization, again }) {
      const token = bearerToken(authorization);
      if (token === undefined) return NONE;
      const name = index.find(token);
      const known = name !== undefined && keys.latest().get(name) !== undefined;
      if (known) return named(name, again === true);
      return isMeantAsKey(token) ? NOT_FOUND : NONE;
    },
  };
}

function ownerOf({ spec = {} }: OwnedAccessKey, identities: Identities): KnownUser | KnownTeam | undefined {
  if (spec.user) return identities.user(spec.user);
  return spec.team ? identities.team(spec.team) : undefined;
}

/** Undefined for one that has been made into another key since. */
function administratorOf({ metadata, spec = {} }: OwnedAccessKey): Authentication | undefined {
  const { user, team = '', subject = '', groups = [], type = 'User', scope } = spec;
  if (user !== ADMIN.name || `${team}${subject}` !== '' || groups.length > 0 || scope !== undefined)
    return undefined;
  if (!API_KEY_TYPES.includes(type) || metadata.deletionTimestamp !== undefined) return undefined;
  const accessKey = metadata.name ?? '';
  const holder = { ...ADMIN, extra: { [ACCESS_KEY]: [accessKey] }, credential: { accessKey } };
  return { outcome: 'user', user: holder };
}

function holderOf(key: OwnedAccessKey, owner: KnownUser | KnownTeam | undefined): Authentication {
  const { metadata, spec = {} } = key;
  const { user = '', team = '', groups = [], type = 'User', scope } = spec;
  if (!API_KEY_TYPES.includes(type) || metadata.deletionTimestamp !== undefined) return UNAUTHORIZED;
  const owned = `${user}${team}` !== '';
  if (owned && (owner === undefined || ('disabled' in owner && owner.disabled))) return UNAUTHORIZED;
  const kind = user === '' ? 'Team' : 'User';
  const references = (metadata.ownerReferences ?? []).filter((reference) => reference.kind === kind);
  if (owner !== undefined && references.some(({ uid }) => uid !== owner.uid)) return UNAUTHORIZED;
  const name = keyHolder(key);
  if (name === '') return UNAUTHORIZED;
  const own = owner?.groups ?? [MANAGEMENT_AUTHENTICATED, AUTHENTICATED];
  const holder: User = {
    name,
    uid: owner?.uid ?? '',
    groups: [...new Set([...own, ...groups])],
    extra: { [ACCESS_KEY]: [metadata.name ?? ''] },
    credential: { accessKey: metadata.name ?? '' },
    ...(scope !== undefined && { scope }),
  };
  return { outcome: 'user', user: holder };
}
