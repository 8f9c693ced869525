/** The access key of the type `Login` that a browser session stands for. Nobody knows the key itself. */
import { createHash, randomBytes } from 'node:crypto';
import { OwnedAccessKey } from '../../api/management.svc.example/v1/ownedaccesskey.js';
import { asKind } from '../../api/resource.js';
import { StatusError } from '../apimachinery/errors.js';
import { deleteObject } from '../registry/generic/delete.js';
import type { ResourceStore } from '../registry/generic/resourcestore.js';
import { loopbackOptions } from '../registry/loopback.js';
import { createAccessKey } from './accesskey.js';

const FIELD_MANAGER = 'console';

/** Sessions of one key at a time: whoever has a key has no more objects by logging in again and again. */
export const MOST_SESSIONS = 50;

export interface SessionKeys {
  /**
   * Makes the Login key of a session of whoever holds `of`, for so long. Answers its name and uid. The oldest end where `of`
   * would have more than {@link MOST_SESSIONS}.
   */
  create(of: OwnedAccessKey, lifeSeconds: number): Promise<SessionKey>;
  /**
   * Makes the Login key of a session of whoever shows a token of the host. It only ends the session: its scope allows
   * nothing.
   */
  createOfToken(user: string, lifeSeconds: number): Promise<SessionKey>;
  /** Deletes it, which ends the session everywhere. One that is gone, or another of that name, is left as it is. */
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

/** What has to end before one more begins; somebody else's of such a name is no session of this key. */
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
  return found.slice(0, Math.max(0, found.length - MOST_SESSIONS + 1));
}
