/**
 * ManagedRoles: reserves the names of roles and bindings that the server manages for objects. Otherwise a user could
 * take the name of a later object's role, or bind it, and get the object's rights.
 */
import type { KubeObject } from '../../../api/resource.js';
import { isManagedName, objectOfRole, type RoleObject } from './managednames.js';
import { forbidden, quote } from '../../apimachinery/errors.js';
import { sameJson } from '../../registry/object/metadata.js';
import { roleRefOf } from '../../registry/rbac/bindings.js';
import type { Settings } from '../settings.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';

const GROUP = 'rbac.authorization.k8s.io';

/**
 * Other users cannot create, change or bind them, whatever their rights. They may delete those that are stored: a
 * controller writes them again.
 */
export function managedRoles({ rolesElsewhere }: Pick<Settings, 'rolesElsewhere'>): AdmissionPlugin {
  return {
    name: 'ManagedRoles',
    concerns: kindsOf(GROUP),
    async validate({ definition, name, requester }, object, previous) {
      if (requester.internal === true) return;
      if (object === undefined) {
        const of = rolesElsewhere === true ? undefined : objectOfRole(name);
        if (of !== undefined) throw forbidden(definition, name, followsFrom(of));
        return;
      }
      if (previous !== undefined && onlyGoes(object, previous)) return;
      const refuse = (why: string): Error => forbidden(definition, name, why);
      if (isManagedName(name)) throw refuse(NAME_TAKEN);
      const role = definition.kind.endsWith('Binding') ? roleRefOf(object).name : '';
      if (isManagedName(role)) throw refuse(`roleRef.name ${quote(role)}: ${NOT_BOUND}`);
    },
  };
}

const FORM =
  'names of the form "management:<kind>:<name>:..." are reserved for roles that the server manages';
const NAME_TAKEN = `${FORM}: choose another name`;
const NOT_BOUND = `${FORM}, and only the server binds them: share an object by its spec.access, or bind a role of your own`;

const followsFrom = ({ plural, name }: RoleObject): string =>
  `it follows from spec.access of ${plural} ${quote(name)}: change the rules there`;

/** Finalizers of a deleted object may be removed. */
const onlyGoes = (object: KubeObject, previous: KubeObject): boolean =>
  previous.metadata.deletionTimestamp !== undefined &&
  sameJson(object.rules, previous.rules) &&
  sameJson(object.subjects, previous.subjects) &&
  sameJson(object.aggregationRule, previous.aggregationRule);
