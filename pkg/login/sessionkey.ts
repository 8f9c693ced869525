/** The access key of the type `Login` that a browser session stands for. Nobody knows the key itself. */
import { randomBytes } from 'node:crypto';
import type { OwnedAccessKey } from '../../api/management.svc.example/v1/ownedaccesskey.js';
import { StatusError } from '../apimachinery/errors.js';
import { createObject } from '../registry/generic/create.js';
import { deleteObject } from '../registry/generic/delete.js';
import type { ResourceStore } from '../registry/generic/resourcestore.js';

const OPTIONS = {
  requester: { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'console',
};

export interface SessionKeys {
  /** Makes the Login key of a session of whoever holds `of`, for so long. Answers its name and uid. */
  create(of: OwnedAccessKey, lifeSeconds: number): Promise<{ readonly name: string; readonly uid: string }>;
  /** Deletes it, which ends the session everywhere. One that is gone, or another of that name, is left as it is. */
  end(key: { readonly name: string; readonly uid: string }): Promise<void>;
}

export function sessionKeys(keys: ResourceStore): SessionKeys {
  return {
    async create({ metadata, spec = {} }, lifeSeconds) {
      const { user, team, subject, groups, scope } = spec;
      const owner = { ...(user && { user }), ...(team && { team }), ...(subject && { subject }) };
      const object = {
        kind: 'OwnedAccessKey',
        apiVersion: 'management.svc.example/v1',
        metadata: { name: `console-${randomBytes(10).toString('hex')}` },
        spec: {
          ...{ ...owner, type: 'Login', ttl: lifeSeconds, displayName: 'Console' },
          description: `A browser that was logged in with the access key ${metadata.name ?? ''}.`,
          ...(groups !== undefined && { groups: [...groups] }),
          ...(scope !== undefined && { scope: structuredClone(scope) }),
        },
      };
      const { bytes } = await createObject(keys, '', object, OPTIONS);
      const { metadata: made } = JSON.parse(bytes.toString('utf8')) as OwnedAccessKey;
      return { name: made.name ?? '', uid: made.uid ?? '' };
    },
    async end({ name, uid }) {
      try {
        await deleteObject(keys, '', name, { dryRun: [], preconditions: { uid } }, OPTIONS);
      } catch (error) {
        const known = error instanceof StatusError ? error.status.reason : undefined;
        if (known !== 'NotFound' && known !== 'Conflict') throw error;
      }
    },
  };
}
