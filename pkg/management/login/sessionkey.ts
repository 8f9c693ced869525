/** The access key of the type `Login` behind a browser session. Nobody knows the key itself. */
import { createHash, randomBytes } from 'node:crypto';
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { CONSOLE_KEYS } from '../accesskeys/names.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { createSessionKey, endSession, type SessionKey } from './sessionlimit.js';

const FIELD_MANAGER = 'console';

export interface SessionKeys {
  /**
   * Creates the Login key of a session for the user of `of`, for this lifetime. Returns its name and uid. Ends the
   * oldest session of a user who has as many as they may have. Rejects with LoginFailure 403.
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

export function sessionKeys(keys: ResourceStore): SessionKeys {
  const end = (key: SessionKey): Promise<void> => endSession(keys, key, FIELD_MANAGER);
  async function make(prefix: string, spec: Spec): Promise<SessionKey> {
    const name = prefix + randomBytes(10).toString('hex');
    const { uid } = await createSessionKey(keys, name, spec, FIELD_MANAGER);
    return { name, uid };
  }
  return {
    end,
    create({ metadata, spec = {} }, ttl) {
      const { user, team, subject, groups, scope } = spec;
      return make(prefixOf(metadata.uid ?? ''), {
        ...(user && { user }),
        ...(team && { team }),
        ...(subject && { subject }),
        ...LOGIN,
        ttl,
        description: `A browser that was logged in with the access key ${metadata.name ?? ''}.`,
        ...(groups !== undefined && { groups: [...groups] }),
        ...(scope !== undefined && { scope: structuredClone(scope) }),
      });
    },
    createOfToken: (user, ttl) =>
      make(prefixOf(`host/${user}`), {
        subject: `host:${user}`,
        ...LOGIN,
        ttl,
        scope: {},
        description: `A browser that was logged in with a token of the cluster, as ${user}.`,
      }),
  };
}

type Spec = NonNullable<OwnedAccessKey['spec']>;

const LOGIN = { type: 'Login', displayName: 'Console' } as const;

/** Of the names of the sessions of a key, or of a user of the host. `of`: the key's uid, so that no other key has it. */
const prefixOf = (of: string): string =>
  `${CONSOLE_KEYS}${createHash('sha256').update(of).digest('hex').slice(0, 16)}-`;
