/** GrantedAccess: users cannot grant rights on an object that they lack. */
import type { KubeObject } from '../../../api/resource.js';
import { accessOf, ownerOf } from './rights.js';
import { SYNC, syncGrantsOf } from './syncgrants.js';
import { forbidden, quote } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import { sameJson } from '../../registry/object/metadata.js';
import type { Requester } from '../../registry/requester.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { isOwner, newRights } from './newrights.js';
import { requestFor } from '../../apimachinery/attributes.js';
import { ClusterRole } from '../../../api/rbac.authorization.k8s.io/v1/clusterrole.js';

const GROUP = 'management.svc.example';

/**
 * The owner, and the creator who names themselves, have all rights except those that the kind reserves: they may
 * grant any of these, and change the owner. Others may only grant rights that they have, and need the verb `escalate`
 * to change the owner. Only changes are checked.
 */
export function grantedAccess(authorizer: Pick<Authorizer, 'authorize'>): AdmissionPlugin {
  async function may(
    { definition, namespace, name, requester }: AdmissionAttributes,
    verb: string,
    subresource: string,
  ): Promise<boolean> {
    const asked = requestFor(verb, definition, { namespace, name, subresource });
    return (await authorizer.authorize(requester, asked)).allowed;
  }

  async function mayBind({ namespace, requester }: AdmissionAttributes, name: string): Promise<boolean> {
    const asked = requestFor('bind', ClusterRole, { namespace, name });
    return (await authorizer.authorize(requester, asked)).allowed;
  }

  return {
    name: 'GrantedAccess',
    concerns: kindsOf(GROUP),
    async validate(attributes, object, previous) {
      const { definition, subresource, name, requester } = attributes;
      if (subresource !== '' || object === undefined) return;
      for (const role of newClusterRoles(object, previous))
        if (!(await mayBind(attributes, role)))
          throw forbidden(definition, name, bindRefusal(requester, role));
      const owns = isOwner(ownerOf(previous ?? object), requester);
      if (!owns && changesOwner(object, previous) && !(await may(attributes, 'escalate', '')))
        throw forbidden(definition, name, ownerRefusal(requester));
      const missing: string[] = [];
      const { reservedSubresources: reserved } = definition;
      const added = newRights(accessOf(object), accessOf(previous ?? NOBODYS), reserved);
      if (namesNewSpaces(object, previous)) added.push({ verb: SYNC, subresource: '' });
      for (const { verb, subresource: below } of added) {
        if (owns && !reserved.includes(below)) continue;
        const parts = below === '*' ? definition.subresources.map((one) => one.name) : [below];
        for (const part of parts)
          if (!(await may(attributes, verb, part)))
            missing.push(`${verb} ${definition.plural}${part && `/${part}`}`);
      }
      if (missing.length > 0) throw forbidden(definition, name, rightsRefusal(requester, missing));
    },
  };
}

const NOBODYS: KubeObject = { kind: '', apiVersion: '', metadata: {} };

/** A secret is written into the spaces that it names: that is a grant, too. */
function namesNewSpaces(object: KubeObject, previous: KubeObject | undefined): boolean {
  const { spaces: before } = syncGrantsOf(previous ?? NOBODYS);
  return [...syncGrantsOf(object).spaces].some((space) => !before.has(space));
}

const changesOwner = (object: KubeObject, previous: KubeObject | undefined): boolean =>
  previous !== undefined && !sameJson(ownerOf(object), ownerOf(previous));

interface ExtraRule {
  readonly clusterRole?: string;
}

interface WithExtraRules extends KubeObject {
  readonly spec?: { readonly extraAccessRules?: readonly ExtraRule[] };
}

const extraRulesOf = (object: WithExtraRules | undefined): readonly ExtraRule[] =>
  object?.spec?.extraAccessRules ?? [];

/** The roles that `spec.extraAccessRules` newly grants. */
function newClusterRoles(object: KubeObject, previous: KubeObject | undefined): Set<string> {
  const before = extraRulesOf(previous);
  const added = extraRulesOf(object).filter((rule) => !before.some((one) => sameJson(one, rule)));
  return new Set(added.map(({ clusterRole = '' }) => clusterRole));
}

const bindRefusal = ({ name }: Requester, role: string): string =>
  `user ${quote(name)} cannot bind the ClusterRole ${quote(role)}`;

const ownerRefusal = ({ name }: Requester): string =>
  `user ${quote(name)} cannot change the owner: this requires ownership, or the verb escalate`;

const rightsRefusal = ({ name }: Requester, missing: readonly string[]): string =>
  `user ${quote(name)} is attempting to grant rights not currently held: ${missing.join(', ')}`;
