import { OwnedAccessKey } from '../../api/management.svc.example/v1/ownedaccesskey.js';
import { Team } from '../../api/management.svc.example/v1/team.js';
import { User } from '../../api/management.svc.example/v1/user.js';
import type { ObjectOf, ResourceDefinition } from '../../api/resource.js';
import { ACCESS_KEY } from './accesskeys/names.js';
import type { KeyIndex } from './accesskeys/authentication/keyindex.js';
import type { SignToken } from '../authentication/issuedtoken/sign.js';
import { AUTHENTICATED } from '../authentication/groups.js';
import { directTokenContent } from './directtokens/authentication/token.js';
import { teamGroup } from './people/identities/identities.js';
import type { Identities } from './people/identities/interface.js';
import { requestServices, type RequestServiceParts } from '../server/handlers/virtualresourceservices.js';
import type { ManagementServices } from './services.js';
import { filterOf } from './visibility/filter.js';
import { newestObject } from '../server/resources.js';

type Given = Pick<
  ManagementServices,
  | 'clusters'
  | 'joinTokens'
  | 'recordBinding'
  | 'searchAudit'
  | 'projectUsage'
  | 'projectNamespacePrefix'
  | 'invitations'
>;

export interface ManagementServiceParts extends RequestServiceParts, Given {
  readonly authorizer: RequestServiceParts['authorizer'] & ManagementServices['subjects'];
  readonly identities: Identities;
  readonly keys: KeyIndex;
  readonly sign: SignToken;
}

const TEAM = teamGroup('');

export function managementServices(parts: ManagementServiceParts): ManagementServices {
  const { stores, identities, keys, clusters, joinTokens, recordBinding, searchAudit } = parts;
  const { projectUsage, projectNamespacePrefix, invitations } = parts;
  const newest = <D extends ResourceDefinition>(kind: D, name: string): ObjectOf<D> | undefined =>
    newestObject(stores, kind, name);
  return {
    ...requestServices(parts),
    subjects: parts.authorizer,
    *seenBy(user, { group, version, plural: resource, namespaced }, start) {
      const objects = stores.find({ group, version, resource })?.cache.latest();
      const collection = { group, resource, namespaced, namespace: '' };
      const seen = filterOf(parts.authorizer, user, collection, { wide: 'list', narrow: 'get' });
      if (objects === undefined || seen === 'nothing') return;
      yield* (seen === 'all' ? objects : seen.in(objects, '')).entries('', start === '' ? undefined : start);
    },
    clusters,
    joinTokens,
    recordBinding,
    searchAudit,
    projectUsage,
    projectNamespacePrefix,
    invitations,
    holder({ name }) {
      const team = name.startsWith(TEAM) ? newest(Team, name.slice(TEAM.length)) : undefined;
      if (team !== undefined) return { kind: 'Team', object: team };
      const object = newest(User, name);
      const known = object && identities.user(name);
      return known && { kind: 'User', object, disabled: known.disabled, teams: known.teams };
    },
    person(kind, name) {
      const known = kind === 'User' ? identities.user(name) : identities.team(name);
      const called = kind === 'User' ? name : teamGroup(name);
      return { name: called, uid: known?.uid ?? '', groups: known?.groups ?? [AUTHENTICATED], extra: {} };
    },
    usedKey: ({ extra }) => extra[ACCESS_KEY]?.[0],
    findKey: (nameOrKey) =>
      newest(OwnedAccessKey, nameOrKey) ?? newest(OwnedAccessKey, keys.find(nameOrKey) ?? ''),
    issueDirectToken: (claims) => parts.sign(directTokenContent(claims)),
  };
}
