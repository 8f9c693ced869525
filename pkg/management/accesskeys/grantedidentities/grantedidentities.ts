import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import { asKind, type KubeObject } from '../../../../api/resource.js';
import { forbidden, userCannot } from '../../../apimachinery/errors.js';
import type { Authorizer } from '../../../authorization/interface.js';
import { scopeWithin } from '../scope/within.js';
import { scopeOf } from '../scope/interface.js';
import { kindsOf, type AdmissionPlugin } from '../../../admission/chain.js';
import type { Settings } from '../../settings.js';
import { neededRights, type NeededRight } from './neededrights.js';

const GROUP = 'management.svc.example';

/**
 * GrantedIdentities: without the right to impersonate a user or a group, a user cannot give that identity to others
 * by a group or a login of a User, a member of a Team, an access key, or the owner of a space or virtual cluster.
 */
export function grantedIdentities(
  authorizer: Pick<Authorizer, 'authorize'>,
  { linkVerifiedEmail = false }: Pick<Settings, 'linkVerifiedEmail'>,
): AdmissionPlugin {
  return {
    name: 'GrantedIdentities',
    concerns: kindsOf(GROUP),
    async validate(
      { definition, subresource, name, requester, changesWriteOnlyFields = false },
      object,
      previous,
    ) {
      if (subresource !== '' || object === undefined) return;
      if (!withinOwn(scopeOf(requester), object, previous))
        throw forbidden(definition, name, 'the scope must be within that of the access key that is used');
      const who = { requester: requester.name, groups: requester.groups };
      const write = { object, previous, ...who, changesKey: changesWriteOnlyFields, linkVerifiedEmail };
      for (const right of neededRights(write)) {
        const asked = { kind: 'resource', version: 'v1', subresource: '', namespace: '', ...right } as const;
        if ((await authorizer.authorize(requester, asked)).allowed) continue;
        throw forbidden(definition, name, refusal(requester.name, right));
      }
    },
  };
}

/** A scoped credential can only create and change keys with a scope within its own. */
function withinOwn(own: Scope | undefined, object: KubeObject, previous: KubeObject | undefined): boolean {
  if (own === undefined || object.kind !== 'OwnedAccessKey') return true;
  const [next, before] = [asKind(OwnedAccessKey, object), asKind(OwnedAccessKey, previous)];
  return scopeWithin(next.spec?.scope, own) && (before === undefined || scopeWithin(before.spec?.scope, own));
}

function refusal(requester: string, { verb, group, resource, name }: NeededRight): string {
  const why = userCannot(requester, { verb, group, resource, subresource: '', namespace: '' });
  return `${why}: ${resource}/${name}`;
}
