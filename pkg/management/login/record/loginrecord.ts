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

type RecordSettings = Pick<LoginSettings, 'issuer' | 'groupsClaim' | 'groupsPrefix'>;

function notesOf(identity: LoginIdentity, settings: RecordSettings): string[] {
  const left = requestGroups(identity, settings).length > 0 && groupsOfKey(identity, settings).length === 0;
  const note = `${settings.groupsClaim}: the list is longer than ${MAX_GROUPS} bytes, so the access key has no groups. Group rules judge all of them.`;
  return [...identity.notes, ...(left ? [note] : [])];
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

const OPTIONS = loopbackOptions('login');
const INTERNAL = { ...OPTIONS, requester: { ...OPTIONS.requester, internal: true as const } };

/**
 * Writes the record into the status of the User, where nobody else can. The record of a later login stays. `ends`: when
 * rules no longer judge it, in ms since 1970.
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
    const { status } = asKind(User, live);
    const isLater = status?.login !== undefined && timeOf(status.login) > timeOf(login);
    return structuredClone(isLater ? live : { ...live, status: { ...status, login } });
  };
  const request = { namespace: '', name, subresource: 'status', change, versionRequired: false };
  await updateObject(users, request, INTERNAL);
}
