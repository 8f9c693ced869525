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
  create(of: OwnedAccessKey, lifeSeconds: number): Promise<{ readonly name: string; readonly uid: string }>;
  /** Deletes it, which ends the session everywhere. One that is gone, or another of that name, is left as it is. */
  end(key: { readonly name: string; readonly uid: string }): Promise<void>;
}

export function sessionKeys(keys: ResourceStore): SessionKeys {
  async function end({ name, uid }: Pick<NamedKey, 'name' | 'uid'>): Promise<void> {
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
  return {
    end,
    async create(of, lifeSeconds) {
      const { metadata, spec = {} } = of;
      const { user, team, subject, groups, scope } = spec;
      const owner = { ...(user && { user }), ...(team && { team }), ...(subject && { subject }) };
      const prefix = prefixOf(of);
      for (const old of tooMany(keys, prefix, of)) await end(old);
      const key = {
        ...{ ...owner, type: 'Login', ttl: lifeSeconds, displayName: 'Console' },
        description: `A browser that was logged in with the access key ${metadata.name ?? ''}.`,
        ...(groups !== undefined && { groups: [...groups] }),
        ...(scope !== undefined && { scope: structuredClone(scope) }),
      };
      const made = await createAccessKey(keys, prefix + randomBytes(10).toString('hex'), key, FIELD_MANAGER);
      return { name: made.name, uid: made.uid };
    },
  };
}

interface NamedKey {
  readonly name: string;
  readonly uid: string;
  /** RFC 3339, of the same length each: in order of time. */
  readonly created: string;
}

/** Of the names of a key's sessions. Another key has another, also one that is made anew under the name. */
const prefixOf = ({ metadata }: OwnedAccessKey): string =>
  `console-${createHash('sha256')
    .update(metadata.uid ?? '')
    .digest('hex')
    .slice(0, 16)}-`;

/** What has to end before one more begins; somebody else's of such a name is no session of this key. */
function tooMany({ cache }: ResourceStore, prefix: string, { spec: of = {} }: OwnedAccessKey): NamedKey[] {
  const found: NamedKey[] = [];
  for (const entry of cache.latest().entries(prefix)) {
    const { metadata, spec = {} } = asKind(OwnedAccessKey, entry.object());
    if (spec.type !== 'Login' || spec.user !== of.user || spec.team !== of.team) continue;
    const { uid = '', creationTimestamp: created = '' } = metadata;
    found.push({ name: entry.name, uid, created });
  }
  found.sort((one, other) => (one.created < other.created ? -1 : one.created > other.created ? 1 : 0));
  return found.slice(0, Math.max(0, found.length - MOST_SESSIONS + 1));
}
