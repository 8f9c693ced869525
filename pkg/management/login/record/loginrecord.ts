/** What a login leaves: the claims that group rules judge until the next one, and the groups of its key. */
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { asKind, type KubeObject } from '../../../../api/resource.js';
import { updateObject } from '../../../registry/generic/update.js';
import { loopbackOptions } from '../../../registry/loopback.js';
import { timestamp } from '../../../registry/object/metadata.js';
import type { ResourceStore } from '../../../registry/resourcestore.js';
import type { LoginRecord } from '../../grouprules/claims.js';
import { timeOf } from '../../grouprules/login.js';
import { requestGroups } from '../claims.js';
import type { LoginIdentity, LoginSettings } from '../interface.js';

/** Of the lists of groups in a key, in bytes of their JSON: a key has at most 16 KiB. Group rules judge all groups. */
const MAX_GROUPS = 9_000;
const MAX_PROVIDER_GROUPS = 4_000;
const fitting = (groups: readonly string[], most: number): string[] =>
  Buffer.byteLength(JSON.stringify(groups)) > most ? [] : [...groups];

export const groupsOfKey = (
  identity: LoginIdentity,
  settings: Pick<LoginSettings, 'groupsPrefix'>,
): string[] => fitting(requestGroups(identity, settings), MAX_GROUPS);
export const providerGroupsOfKey = ({ providerGroups }: LoginIdentity): string[] =>
  fitting(providerGroups, MAX_PROVIDER_GROUPS);

type RecordSettings = Pick<LoginSettings, 'issuer' | 'groupsClaim' | 'groupsPrefix' | 'refreshMs'>;

const UNCONFIRMED =
  'The provider sent no refresh token, so it is not asked about this login again, which lives until its key expires.';

function notesOf(identity: LoginIdentity, settings: RecordSettings): string[] {
  const left = requestGroups(identity, settings).length > 0 && groupsOfKey(identity, settings).length === 0;
  const note = `${settings.groupsClaim}: the list is longer than ${MAX_GROUPS} bytes, so the access key has no groups. Group rules judge all of them.`;
  const isUnconfirmed = settings.refreshMs !== undefined && identity.refresh === undefined;
  return [...identity.notes, ...(left ? [note] : []), ...(isUnconfirmed ? [UNCONFIRMED] : [])];
}

/** What group rules judge until the next login. */
function loginRecord(identity: LoginIdentity, settings: RecordSettings, ends: number): LoginRecord {
  const { providerGroups, claims, at } = identity;
  const { issuer, groupsClaim } = settings;
  const notes = notesOf(identity, settings);
  const groups = { name: groupsClaim, values: [...providerGroups] };
  const others = claims.map(({ name, values }) => ({ name, values: [...values] }));
  return {
    issuer,
    claims: [...(providerGroups.length > 0 ? [groups] : []), ...others],
    ...(notes.length > 0 && { notes }),
    time: timestamp(at),
    expires: timestamp(ends),
  };
}

/** What was said last counts; it ends with the last of the person's logins. */
function newerOf(known: LoginRecord | undefined, login: LoginRecord): LoginRecord {
  if (known === undefined) return login;
  const newer = timeOf(known) > timeOf(login) ? known : login;
  if (known.issuer !== login.issuer || known.ended === true || newer.ended === true) return newer;
  const expires = [known.expires ?? '', login.expires ?? ''].sort().at(-1) ?? '';
  return { ...newer, expires };
}

const OPTIONS = loopbackOptions('login');
const INTERNAL = { ...OPTIONS, requester: { ...OPTIONS.requester, internal: true as const } };

/**
 * Writes the record into the status of the User, where nobody else can. What was said later stays. `ends`: when rules no
 * longer judge it, in ms since 1970.
 */
export async function recordLogin(
  users: ResourceStore,
  name: string,
  identity: LoginIdentity,
  settings: RecordSettings,
  ends: number,
): Promise<void> {
  const login = loginRecord(identity, settings, ends);
  const change = (live: KubeObject): KubeObject => {
    const { spec, status } = asKind(User, live);
    if (spec?.subject !== identity.subject) return structuredClone(live);
    return structuredClone({ ...live, status: { ...status, login: newerOf(status?.login, login) } });
  };
  const request = { namespace: '', name, subresource: 'status', change, versionRequired: false };
  await updateObject(users, request, INTERNAL);
}
