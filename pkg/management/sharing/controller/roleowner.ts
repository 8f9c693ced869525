/** The object that a role or binding of an object's rights belongs to. */
import { accessRoles } from '../accessroles.js';
import { objectOfRole } from '../managednames.js';
import type { ResourceClient } from '../../../controllers/interface.js';
import type { Orphan, OrphanOwner } from './orphanedroles.js';

/**
 * Finds the object by the name of the role; undefined: it is not one of an object's rights. `kinds`: by their
 * plurals.
 */
export function ownerIn(
  kinds: ReadonlyMap<string, ResourceClient>,
  { namespace, name }: Pick<Orphan, 'namespace' | 'name'>,
): OrphanOwner | undefined {
  const object = objectOfRole(name);
  const resource = object && kinds.get(object.plural);
  if (object === undefined || resource?.definition.namespaced !== (namespace !== '')) return undefined;
  const { definition } = resource;
  return {
    resource,
    namespace,
    name: object.name,
    wants: (live) =>
      live.metadata.uid === object.uid && accessRoles(definition, live).some((one) => one.name === name),
  };
}
