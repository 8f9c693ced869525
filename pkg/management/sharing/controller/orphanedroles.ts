/**
 * Roles and bindings that no object wants: at another API server those of an object whose rights ended, and those of
 * a project whose commit was interrupted after they were written.
 */
import type { KubeObject } from '../../../../api/resource.js';
import { RBAC_GROUP } from '../accessroles.js';
import { MANAGED_BY } from '../managednames.js';
import { ignoring } from '../../../controllers/ignorederrors.js';
import {
  resourceNamed,
  type CachedObject,
  type Client,
  type ResourceClient,
} from '../../../controllers/interface.js';
import { uidOf } from '../../../controllers/target.js';

/** The time after which every commit has ended. */
export const ORPHAN_MS = 60_000;

/**
 * At another API server bindings of a project's members are written before the commit of the project, and must not be
 * reverted meanwhile. A commit that takes longer is checked again when the object exists.
 */
export const IN_FLIGHT_MS = 2_000;

/** A role when it was seen. */
export interface Orphan {
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: string;
}

/** The location of the object that a role or binding belongs to, existing or not. */
export interface OrphanOwner {
  readonly resource: ResourceClient;
  readonly namespace: string;
  readonly name: string;
  /** Whether the current object wants the role. */
  wants(this: void, live: KubeObject): boolean;
}

const PREFIX = 'orphan ';

export const orphanKey = ({ definition }: ResourceClient, role: CachedObject): string =>
  `${PREFIX}${definition.plural} ${role.namespace} ${role.revision} ${role.name}`;

export function orphanIn(key: string): Orphan | undefined {
  if (!key.startsWith(PREFIX)) return undefined;
  const [plural = '', namespace = '', revision = '', ...name] = key.slice(PREFIX.length).split(' ');
  return { plural, namespace, revision, name: name.join(' ') };
}

/**
 * Removes the role unless it has changed since, its object exists and wants it, or somebody else created it.
 */
export async function removeOrphan(
  client: Client,
  ownerOf: (orphan: Orphan) => OrphanOwner | undefined,
  orphan: Orphan,
): Promise<void> {
  const { plural, namespace, name, revision } = orphan;
  const roles = resourceNamed(client, RBAC_GROUP, plural);
  const role = roles.cached({ namespace, name });
  if (role === undefined || String(role.revision) !== revision) return;
  const object = role.object();
  const isOurs = object.metadata.labels?.[MANAGED_BY.label] === MANAGED_BY.value;
  const owner = ownerOf(orphan);
  if (!isOurs || owner === undefined) return;
  const live = await owner.resource.live(owner);
  if (live !== undefined && owner.wants(live)) return;
  const seen = { uid: uidOf(object), resourceVersion: revision };
  await ignoring([404, 409], roles.delete({ namespace, name }, seen));
}
