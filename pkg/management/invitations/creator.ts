/** The creator of an invitation, on whose rights it rests. */
import { Invitation } from '../../../api/management.svc.example/v1/invitation.js';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { IMPERSONATED_USERS, requestFor, type ResourceAttributes } from '../../apimachinery/attributes.js';
import { timestamp } from '../../registry/object/metadata.js';
import type { Requester } from '../../registry/requester.js';
import { ACCESS_KEY } from '../accesskeys/names.js';
import { holderOf, lastingHolderOf, type Holder, type People } from '../standingrights/standing.js';

type Creator = NonNullable<NonNullable<Invitation['status']>['invitedBy']>;

/** What the creator of an invitation must be allowed. The key of one outlives the credential of its creator. */
export function neededRights(user: string, makesKey: boolean): ResourceAttributes[] {
  return [
    requestFor('create', Invitation, {}),
    requestFor('impersonate', IMPERSONATED_USERS, { name: user }),
    ...(makesKey ? [requestFor('create', OwnedAccessKey, { subresource: 'unlimited' })] : []),
  ];
}

/** The creator by what identifies them later. Logging out ends no link; a deleted access key does, an administrator's, too. */
export function inviterOf(requester: Requester, people: People, now: number): Holder {
  const used = people.accessKey(requester.extra[ACCESS_KEY]?.[0] ?? '');
  return (used?.spec?.type === 'Login' ? lastingHolderOf : holderOf)(requester, people, now);
}

/** As the record has them. */
export const creatorOf = ({ name, uid, groups, seen, key }: Holder): Creator => ({
  user: name,
  ...(uid !== '' && { uid }),
  groups: [...groups],
  ...(key !== undefined && { accessKey: key }),
  time: timestamp(seen),
});

export const holderIn = ({ user = '', uid = '', groups = [], accessKey, time = '' }: Creator): Holder => ({
  name: user,
  uid,
  groups,
  seen: Date.parse(time),
  ...(accessKey !== undefined && { key: accessKey }),
});
