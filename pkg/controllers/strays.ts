/** Roles and bindings at another API server whose object never came to be: their commit was cut off after they were put. */
import { MANAGED_BY, RBAC_GROUP } from '../apimachinery/access/accessroles.js';
import { ignoring } from './expected.js';
import type { CachedObject, Client, ResourceClient } from './interface.js';
import { resourceOf } from './interface.js';

/** A commit is over after so long, one way or the other. */
export const STRAY_MS = 60_000;

/**
 * At another API server roles come before the commit of their object, and must not be undone while it is under way. One
 * that takes longer is looked at again when it is there.
 */
export const UNDER_WAY_MS = 2_000;

/** A role as it was seen. */
export interface Stray {
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: string;
}

/** Where the object is that a role or binding belongs to, whether or not it is there. */
export interface StrayOwner {
  readonly resource: ResourceClient;
  readonly namespace: string;
  readonly name: string;
}

const PREFIX = 'stray ';

export const strayKey = ({ definition }: ResourceClient, role: CachedObject): string =>
  `${PREFIX}${definition.plural} ${role.namespace} ${role.revision} ${role.name}`;

export function strayIn(key: string): Stray | undefined {
  if (!key.startsWith(PREFIX)) return undefined;
  const [plural = '', namespace = '', revision = '', ...name] = key.slice(PREFIX.length).split(' ');
  return { plural, namespace, revision, name: name.join(' ') };
}

/** Unless it has changed since, or its object is there after all, or somebody else made it. */
export async function removeStray(
  client: Client,
  ownerOf: (stray: Stray) => StrayOwner | undefined,
  stray: Stray,
): Promise<void> {
  const { plural, namespace, name, revision } = stray;
  const roles = resourceOf(client, RBAC_GROUP, plural);
  const role = roles.cached(namespace, name);
  if (role === undefined || String(role.revision) !== revision) return;
  const { metadata } = role.object();
  if (metadata.labels?.[MANAGED_BY.label] !== MANAGED_BY.value) return;
  const owner = ownerOf(stray);
  if (owner === undefined || (await owner.resource.live(owner.namespace, owner.name)) !== undefined) return;
  const seen = { uid: metadata.uid ?? '', resourceVersion: revision };
  await ignoring([404, 409], roles.delete(namespace, name, seen));
}
