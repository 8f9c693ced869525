/** Roles and bindings for the rights on an object, as they follow from it: served to clients that read RBAC, and not stored. */
import { apiVersionOf, type KubeObject, type ResourceDefinition } from '../../../api/resource.js';
import { nameUuid } from '../../apimachinery/nameuuid.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import type { DerivedObjects } from '../../registry/object/derivedobjects.js';
import { RBAC_GROUP, accessRoleNames, accessRoles, roleKinds, type AccessRole } from './accessroles.js';
import { objectOfRole, roleNameBeginning } from './managednames.js';
import { accessOf } from './rights.js';

/** In the JSON of every object that has access rules. */
const RULES = Buffer.from('"access":[{');

interface Granted {
  readonly content: string;
  readonly object: KubeObject;
  readonly roles: readonly AccessRole[];
}

export function derivedRoles(definition: ResourceDefinition): DerivedObjects {
  const { plural } = definition;
  const { roles, bindings } = roleKinds(definition.namespaced);
  let last: Granted | undefined;

  /** Lists and watches read the roles of an object one after the other. */
  function grantedBy(content: string): Granted {
    if (last?.content === content) return last;
    const object = parseStored<KubeObject>(content);
    last = { content, object, roles: accessRoles(definition, object) };
    return last;
  }

  return {
    kinds: [roles, bindings].map((one) => ({ group: RBAC_GROUP, plural: one })),
    owns: (name) => objectOfRole(name)?.plural === plural,
    beginning: ({ name }) => roleNameBeginning(plural, name),
    read(entry) {
      // Most objects have no rules, and need not be parsed.
      if (!entry.bytes.includes(RULES)) return undefined;
      const object = granting(definition, entry.parse());
      const names = accessRoleNames(definition, object);
      return names.length === 0 ? undefined : { names, content: JSON.stringify(object) };
    },
    object(content, kind, { namespace, name }) {
      const { object, roles: given } = grantedBy(content);
      const found = given.find((one) => one.name === name);
      if (found === undefined) throw new RangeError(`no role ${name} follows from the object`);
      const whole = kind.plural === bindings ? found.binding : found.role;
      const { uid = '', creationTimestamp = '' } = object.metadata;
      return {
        ...whole,
        metadata: {
          ...whole.metadata,
          ...(namespace !== '' && { namespace }),
          uid: nameUuid(uid, `${kind.plural}/${name}`),
          creationTimestamp,
        },
      };
    },
  };
}

/** The part of an object that its roles depend on. */
function granting(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const { name = '', uid = '', creationTimestamp = '' } = object.metadata;
  return {
    kind: definition.kind,
    apiVersion: apiVersionOf(definition),
    metadata: { name, uid, creationTimestamp },
    spec: { access: accessOf(object) },
  };
}
