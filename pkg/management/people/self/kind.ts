import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Self } from '../../../../api/management.svc.example/v1/self.js';
import { fieldInvalid, invalid } from '../../../apimachinery/errors.js';
import { timestamp } from '../../../registry/object/metadata.js';
import type { VirtualResource } from '../../../registry/virtualresource.js';
import type { ManagementAnswerContext, ManagementServices, Holder } from '../../services.js';
import { teamGroup } from '../identities/known.js';
import { requestFor } from '../../../apimachinery/attributes.js';

type Status = NonNullable<Self['status']>;

/** Returns the caller and their access key. */
export const kind: VirtualResource<typeof Self, ManagementServices> = {
  definition: Self,
  async answer(self, context) {
    const { user, services } = context;
    const { holder, usedKey, findKey } = services;
    const asked = self.spec?.accessKey ?? '';
    const used = usedKey(user);
    const key = asked !== '' ? await ownKey(asked, context) : used === undefined ? undefined : findKey(used);
    const status: Status = {
      ...identity(holder(user), user.name),
      ...(key !== undefined && keyStatus(key)),
      groups: [...user.groups],
      projectNamespacePrefix: services.projectNamespacePrefix,
    };
    self.metadata = { creationTimestamp: timestamp() };
    // `spec.accessKey` may be the key itself; the status has its name.
    self.spec = {};
    self.status = status;
    return self;
  },
};

/** A key of the caller that the caller may read. Throws StatusError 422, which reveals nothing about other keys. */
async function ownKey(asked: string, { user, services }: ManagementAnswerContext): Promise<OwnedAccessKey> {
  const key = services.findKey(asked);
  const { user: owner = '', team = '', subject = '' } = key?.spec ?? {};
  const callers = [owner, team === '' ? '' : teamGroup(team), subject];
  const name = key?.metadata.name ?? '';
  if (key !== undefined && callers.includes(user.name)) {
    if ((await services.authorize(user, requestFor('get', OwnedAccessKey, { name }))).allowed) return key;
  }
  const why = 'is not an access key of yours that you may read with the one that you use';
  throw invalid(Self, '', [fieldInvalid('spec.accessKey', '<hidden>', why)]);
}

function identity(holder: Holder | undefined, caller: string): Pick<Status, 'user' | 'team' | 'subject'> {
  if (holder === undefined) return { subject: caller };
  const { metadata, spec = {} } = holder.object;
  const name = metadata.name ?? '';
  const { displayName, username } = spec;
  const known = {
    name,
    ...(displayName !== undefined && { displayName }),
    ...(username !== undefined && { username }),
  };
  if (holder.kind === 'Team') return { team: known };
  const { email, subject } = holder.object.spec ?? {};
  return {
    user: {
      ...known,
      ...(email !== undefined && { email }),
      ...(subject !== undefined && { subject }),
      teams: [...holder.teams],
    },
  };
}

function keyStatus({ metadata, spec = {} }: OwnedAccessKey): Status {
  return {
    accessKey: metadata.name ?? '',
    accessKeyType: spec.type ?? 'User',
    ...(spec.scope !== undefined && { accessKeyScope: spec.scope }),
  };
}
