/** UniqueSubject: a subject of the identity provider is in one User, as a login is of one user. */
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { asKind } from '../../../../api/resource.js';
import { kindsOf, type AdmissionPlugin } from '../../../admission/chain.js';
import { fieldInvalid, invalid, quote } from '../../../apimachinery/errors.js';
import type { ResourceCache } from '../../../cache/interface.js';

/** By the cache: writes at the same moment may both succeed, and then a login is that of the first User by name. */
export function uniqueSubject(users: Pick<ResourceCache<User>, 'latest'>): AdmissionPlugin {
  return {
    name: 'UniqueSubject',
    concerns: kindsOf('management.svc.example', 'User'),
    async validate({ definition, subresource, name }, object, previous) {
      if (subresource !== '' || object === undefined) return;
      const { metadata, spec: { subject = '' } = {} } = asKind(User, object);
      if (subject === '' || subject === asKind(User, previous)?.spec?.subject) return;
      for (const other of users.latest().entries('')) {
        if (other.name === metadata.name || other.object().spec?.subject !== subject) continue;
        const why = `is the subject of the user ${quote(other.name)}: remove it there first`;
        throw invalid(definition, name, [fieldInvalid('spec.subject', subject, why)]);
      }
    },
  };
}
