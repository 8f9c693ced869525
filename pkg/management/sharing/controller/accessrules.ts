/**
 * Reconciles the roles and bindings of the rights on objects in namespaces at another API server: writes them as rights
 * change, reverts changes by others, and removes those that no object wants. In our own store there are none, and it removes
 * those that an earlier release wrote.
 */
import { nextTurn } from '../../../apimachinery/eventloop/turns.js';
import { clusterScoped, type KubeObject } from '../../../../api/resource.js';
import { RBAC_GROUP, accessRoleNames, roleKinds } from '../accessroles.js';
import { hasAccess, rightsOf } from '../rights.js';
import {
  resourceOf,
  resourceNamed,
  type CachedObject,
  type Client,
  type Controller,
  type ControllerContext,
  type Reconciler,
  type ResourceClient,
} from '../../../controllers/interface.js';
import {
  IN_FLIGHT_MS,
  removeOrphan,
  orphanIn,
  orphanKey,
  type OrphanOwner,
  type Orphan,
} from './orphanedroles.js';
import { Namespace } from '../../../../api/core/v1/namespace.js';
import { Role } from '../../../../api/rbac.authorization.k8s.io/v1/role.js';
import { objectOfRole } from '../managednames.js';

/** Kinds whose objects have roles, by their plurals. */
type Kinds = ReadonlyMap<string, ResourceClient>;

/** How often an earlier release beside this one is looked after. */
const WRITTEN_MS = 60_000;

export const accessRulesController: Controller = {
  name: 'access-rules-controller',
  user: 'access-rules-controller',
  workers: 4,
  start(context) {
    const { client } = context;
    if (resourceOf(client, Role).foreign !== true) return removeWritten(context);
    const namespaces = resourceOf(client, Namespace);
    const kinds = kindsOf(client);
    for (const resource of kinds.values()) followObjects(context, resource);
    for (const roles of roleClients(client, [true])) followRoles(context, roles, kinds);
    return {
      async reconcile(key) {
        // Most roles need no change, so the controller yields between them.
        await nextTurn();
        const orphan = orphanIn(key);
        if (orphan !== undefined) return removeOrphan(client, (one) => ownerIn(kinds, one), orphan);
        const [plural = '', namespace = '', name = ''] = key.split('/');
        // The content of a namespace that is being deleted is deleted with it.
        if (namespaces.cached(clusterScoped(namespace))?.object().metadata.deletionTimestamp !== undefined)
          return;
        await kinds.get(plural)?.repair({ namespace, name });
      },
    };
  },
};

/** Removes the roles and bindings that an earlier release wrote into our own store, also while it runs beside this one. */
function removeWritten({ client, enqueue, every }: ControllerContext): Reconciler {
  const written = new Map(roleClients(client, [true, false]).map((one) => [one.definition.plural, one]));
  const enqueueAll = (): void => {
    for (const plural of written.keys()) enqueue(plural);
  };
  enqueueAll();
  every(WRITTEN_MS, enqueueAll);
  return {
    async reconcile(plural) {
      if ((await written.get(plural)?.removeShadowed()) === true) enqueue(plural);
    },
  };
}

/** Only objects in namespaces have roles at another API server. */
const kindsOf = (client: Client): Kinds =>
  new Map(
    client.resources
      .filter(({ definition }) => hasAccess(definition) && definition.namespaced)
      .map((resource) => [resource.definition.plural, resource]),
  );

const roleClients = (client: Client, scopes: readonly boolean[]): ResourceClient[] =>
  scopes.flatMap((namespaced) =>
    Object.values(roleKinds(namespaced)).map((plural) => resourceNamed(client, RBAC_GROUP, plural)),
  );

const keyOf = (plural: string, { namespace, name }: Pick<CachedObject, 'namespace' | 'name'>): string =>
  `${plural}/${namespace}/${name}`;

const objectOf = (owner: OrphanOwner): KubeObject | undefined => owner.resource.cached(owner)?.object();

/** Roles may have been changed, or be missing, since before this controller ran, or if a server ended before it wrote them. */
function followObjects(context: ControllerContext, resource: ResourceClient): void {
  const { definition } = resource;
  const { client, follow, enqueue } = context;
  const rights = (of: CachedObject): string => JSON.stringify(rightsOf(definition, of.object()));
  const namesOf = (of: CachedObject): string[] => accessRoleNames(definition, of.object());
  const removeGone = (before: CachedObject, wanted: readonly string[]): void => {
    const gone = namesOf(before).filter((name) => !wanted.includes(name));
    for (const plural of Object.values(roleKinds(definition.namespaced))) {
      const roles = resourceNamed(client, RBAC_GROUP, plural);
      for (const name of gone) {
        const role = roles.cached({ namespace: before.namespace, name });
        if (role !== undefined) enqueue(orphanKey(roles, role));
      }
    }
  };
  follow(resource, {
    replaced() {
      for (const object of resource.list('')) enqueue(keyOf(definition.plural, object));
    },
    changed(object, previous) {
      if (previous !== undefined && rights(object) === rights(previous)) return;
      const wanted = namesOf(object);
      if (wanted.length > 0) enqueue(keyOf(definition.plural, object));
      if (previous !== undefined) removeGone(previous, wanted);
    },
    deleted: (object) => removeGone(object, []),
  });
}

function followRoles({ follow, enqueue }: ControllerContext, roles: ResourceClient, kinds: Kinds): void {
  /** The key of the object that wants the role. */
  const wanting = (role: CachedObject): string | undefined => {
    const owner = ownerIn(kinds, role);
    const object = owner && objectOf(owner);
    if (owner === undefined || object === undefined || !owner.wants(object)) return undefined;
    return keyOf(owner.resource.definition.plural, owner);
  };
  const look = (role: CachedObject): void => {
    const key = wanting(role);
    if (key !== undefined) return enqueue(key, IN_FLIGHT_MS);
    if (ownerIn(kinds, role) !== undefined) enqueue(orphanKey(roles, role), IN_FLIGHT_MS);
  };
  follow(roles, {
    replaced() {
      for (const role of roles.list('')) look(role);
    },
    changed: look,
    deleted(role) {
      const key = wanting(role);
      if (key !== undefined) enqueue(key, IN_FLIGHT_MS);
    },
  });
}

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
    wants: (live) => live.metadata.uid === object.uid && accessRoleNames(definition, live).includes(name),
  };
}
