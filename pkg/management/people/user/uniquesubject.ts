/** UniqueSubject: a subject of the identity provider is in one User, as a login is of one user. */
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { asKind } from '../../../../api/resource.js';
import { kindsOf, type AdmissionPlugin } from '../../../admission/chain.js';
import type { ResourceCache } from '../../../cache/interface.js';
import { subjectTaken } from './subjectclaim.js';

/** By the cache, so that Users are found whose subject is older than claims are (`subjectclaim.ts`), which decide between writes at the same moment. */
export function uniqueSubject(users: Pick<ResourceCache<User>, 'latest'>): AdmissionPlugin {
  return {
    name: 'UniqueSubject',
    concerns: kindsOf('management.svc.example', 'User'),
    async validate({ subresource, name }, object, previous) {
      if (subresource !== '' || object === undefined) return;
      const { metadata, spec: { subject = '' } = {} } = asKind(User, object);
      if (subject === '' || subject === asKind(User, previous)?.spec?.subject) return;
      for (const other of users.latest().entries('')) {
        if (other.name === metadata.name || other.object().spec?.subject !== subject) continue;
        throw subjectTaken(name, subject, other.name);
      }
    },
  };
}
