/** The access key of the type `Login` behind a browser session. Nobody knows the key itself. */
import { createHash, randomBytes } from 'node:crypto';
import { OwnedAccessKey } from '../../api/management.svc.example/v1/ownedaccesskey.js';
import { asKind } from '../../api/resource.js';
import { StatusError } from '../apimachinery/errors.js';
import { deleteObject } from '../registry/generic/delete.js';
import type { ResourceStore } from '../registry/generic/resourcestore.js';
import { loopbackOptions } from '../registry/loopback.js';
import { createAccessKey } from './accesskey.js';

const FIELD_MANAGER = 'console';

/** Maximum number of sessions of one key, so that repeated logins create no more objects. */
export const MAX_SESSIONS = 50;

export interface SessionKeys {
  /**
   * Creates the Login key of a session for the user of `of`, for this lifetime. Returns its name and uid. Ends the
   * oldest sessions if `of` would have more than {@link MAX_SESSIONS}.
   */
  create(of: OwnedAccessKey, lifeSeconds: number): Promise<SessionKey>;
  /**
   * Creates the Login key of a session for the user of a host token. It only serves to end the session: its scope
   * allows nothing.
   */
  createOfToken(user: string, lifeSeconds: number): Promise<SessionKey>;
  /** Deletes the key, which ends the session everywhere. Does nothing if the key is gone or was replaced. */
  end(key: SessionKey): Promise<void>;
}

export interface SessionKey {
  readonly name: string;
  readonly uid: string;
}

export function sessionKeys(keys: ResourceStore): SessionKeys {
  async function end({ name, uid }: SessionKey): Promise<void> {
    try {
      await deleteObject(
        keys,
        '',
        name,
        { dryRun: [], preconditions: { uid } },
        loopbackOptions(FIELD_MANAGER),
      );
    } catch (error) {
      const known = error instanceof StatusError ? error.status.reason : undefined;
      if (known !== 'NotFound' && known !== 'Conflict') throw error;
    }
  }
  async function make(prefix: string, spec: Spec): Promise<SessionKey> {
    for (const old of tooMany(keys, prefix, spec)) await end(old);
    const name = prefix + randomBytes(10).toString('hex');
    const { uid } = await createAccessKey(keys, name, spec, FIELD_MANAGER);
    return { name, uid };
  }
  return {
    end,
    create({ metadata, spec = {} }, ttl) {
      const { user, team, subject, groups, scope } = spec;
      return make(prefixOf(metadata.uid ?? ''), {
        ...{ ...(user && { user }), ...(team && { team }), ...(subject && { subject }) },
        ...{ ...LOGIN, ttl },
        description: `A browser that was logged in with the access key ${metadata.name ?? ''}.`,
        ...(groups !== undefined && { groups: [...groups] }),
        ...(scope !== undefined && { scope: structuredClone(scope) }),
      });
    },
    createOfToken: (user, ttl) =>
      make(prefixOf(`host/${user}`), {
        ...{ subject: `host:${user}`, ...LOGIN, ttl, scope: {} },
        description: `A browser that was logged in with a token of the cluster, as ${user}.`,
      }),
  };
}

type Spec = NonNullable<OwnedAccessKey['spec']>;

const LOGIN = { type: 'Login', displayName: 'Console' } as const;

interface NamedKey extends SessionKey {
  /** RFC 3339, of the same length each: in order of time. */
  readonly created: string;
}

/** Of the names of the sessions of a key, or of a user of the host. `of`: the key's uid, so that no other key has it. */
const prefixOf = (of: string): string =>
  `console-${createHash('sha256').update(of).digest('hex').slice(0, 16)}-`;

/** The sessions to end before another one begins. Keys of others with such a name are not sessions of this key. */
function tooMany({ cache }: ResourceStore, prefix: string, of: Spec): NamedKey[] {
  const found: NamedKey[] = [];
  for (const entry of cache.latest().entries(prefix)) {
    const { metadata, spec = {} } = asKind(OwnedAccessKey, entry.object());
    const isOf = spec.user === of.user && spec.team === of.team && spec.subject === of.subject;
    if (spec.type !== 'Login' || !isOf) continue;
    const { uid = '', creationTimestamp: created = '' } = metadata;
    found.push({ name: entry.name, uid, created });
  }
  found.sort((one, other) => (one.created < other.created ? -1 : one.created > other.created ? 1 : 0));
  return found.slice(0, Math.max(0, found.length - MAX_SESSIONS + 1));
}
