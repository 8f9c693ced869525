/** Creates keys of sessions. A login beyond the limits of its user ends the user's oldest sessions. */
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { asKind, clusterScoped } from '../../../api/resource.js';
import { StatusError } from '../../apimachinery/errors.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import type { Entry } from '../../cache/interface.js';
import { deleteObject } from '../../registry/generic/delete.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { loopbackOptions } from '../../registry/loopback.js';
import { LimitExceeded } from '../limits/limitexceeded.js';
import { MAX_SESSIONS } from '../limitedkinds.js';
import { createAccessKey, type LoginKey } from './accesskey.js';
import { LoginFailure } from './interface.js';

type Spec = NonNullable<OwnedAccessKey['spec']>;

export interface SessionKey {
  readonly name: string;
  readonly uid: string;
}

/** Logins at the same moment, at any server, each end another session. */
const ATTEMPTS = 2 * MAX_SESSIONS;

/** Rejects as `createAccessKey`, and with LoginFailure 403 if the user has too many keys that are no sessions. */
export async function createSessionKey(
  keys: ResourceStore,
  name: string,
  spec: Spec,
  fieldManager: string,
): Promise<LoginKey> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await createAccessKey(keys, name, spec, fieldManager);
    } catch (error) {
      if (!(error instanceof LimitExceeded)) throw error;
      const ended = attempt < ATTEMPTS ? await sessionToEnd(keys, name, spec) : undefined;
      if (ended === undefined)
        throw new LoginFailure(403, 'You have too many access keys. Delete some, and log in again.');
      await endSession(keys, ended, fieldManager);
    }
}

/** Does what a new key is for, and ends the key where that fails. Rejects as `step`. */
export async function orEndSession(
  keys: ResourceStore,
  key: SessionKey,
  fieldManager: string,
  step: () => Promise<void>,
): Promise<void> {
  try {
    await step();
  } catch (error) {
    await endSession(keys, key, fieldManager);
    throw error;
  }
}

/** Does nothing if the key is gone or was replaced. */
export async function endSession(
  keys: ResourceStore,
  { name, uid }: SessionKey,
  fieldManager: string,
): Promise<void> {
  const options = { dryRun: [], preconditions: { uid } };
  try {
    await deleteObject(keys, clusterScoped(name), options, loopbackOptions(fieldManager));
  } catch (error) {
    const known = error instanceof StatusError ? error.status.reason : undefined;
    if (known !== 'NotFound' && known !== 'Conflict') throw error;
  }
}

/**
 * The oldest session of the same user, team or subject: of those that were begun like the new one, as long as there are
 * some, so that whoever has one key of a user does not end the sessions of the user's other keys.
 */
async function sessionToEnd(keys: ResourceStore, name: string, of: Spec): Promise<SessionKey | undefined> {
  const alike = name.slice(0, name.lastIndexOf('-') + 1);
  const pause = slices();
  let found: FoundSession | undefined;
  for (const entry of keysOf(keys, of)) {
    await pause();
    const { metadata, spec = {} } = asKind(OwnedAccessKey, entry.object());
    // What waits for finalizers has ended, and still counts.
    if (spec.type !== 'Login' || metadata.deletionTimestamp !== undefined) continue;
    if (spec.user !== of.user || spec.team !== of.team || spec.subject !== of.subject) continue;
    const { uid = '', creationTimestamp: created = '' } = metadata;
    const session = { name: entry.name, uid, created, isAlike: entry.name.startsWith(alike) };
    if (found === undefined || endsBefore(session, found)) found = session;
  }
  return found;
}

interface FoundSession extends SessionKey {
  /** RFC 3339, of the same length each: in order of time. */
  readonly created: string;
  readonly isAlike: boolean;
}

const endsBefore = (one: FoundSession, other: FoundSession): boolean =>
  one.isAlike === other.isAlike ? one.created < other.created : one.isAlike;

/** From an index, or all keys while it is being built. */
function keysOf({ cache }: ResourceStore, { user, team, subject = '' }: Spec): Iterable<Entry> {
  const all = cache.latest();
  const [member, value] = user ? ['user', user] : team ? ['team', team] : ['subject', subject];
  return (all.select({ by: 'field', name: `spec.${member}` }, value) ?? all).entries('');
}
