/**
 * Roles and bindings that no object wants: at another API server those whose object never came to be, because their commit
 * was cut off after they were put; those of older releases; and others' bindings of the server's roles.
 */
import type { KubeObject } from '../../api/resource.js';
import { textIn } from '../apimachinery/encoding/members.js';
import { RBAC_GROUP } from '../management/access/accessroles.js';
import { MANAGED_BY, representsObjectRights } from '../management/access/managednames.js';
import { ignoring } from './ignorederrors.js';
import type { CachedObject, Client, ResourceClient } from './interface.js';
import { resourceNamed } from './interface.js';
import { uidOf } from './target.js';

/** A commit is over after so long, one way or the other. */
export const STRAY_MS = 60_000;

/**
 * At another API server roles come before the commit of their object, and must not be undone while it is under way. One
 * that takes longer is looked at again when it is there.
 */
export const UNDER_WAY_MS = 2_000;

/** A role as it was seen. */
export interface Orphan {
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: string;
}

/** Where the object is that a role or binding belongs to, whether or not it is there. */
export interface OrphanOwner {
  readonly resource: ResourceClient;
  readonly namespace: string;
  readonly name: string;
  /** Whether the object, as it is, wants the role. */
  wants(this: void, live: KubeObject): boolean;
}

const PREFIX = 'stray ';

export const orphanKey = ({ definition }: ResourceClient, role: CachedObject): string =>
  `${PREFIX}${definition.plural} ${role.namespace} ${role.revision} ${role.name}`;

export function orphanIn(key: string): Orphan | undefined {
  if (!key.startsWith(PREFIX)) return undefined;
  const [plural = '', namespace = '', revision = '', ...name] = key.slice(PREFIX.length).split(' ');
  return { plural, namespace, revision, name: name.join(' ') };
}

/**
 * Unless it has changed since, or its object is there after all and wants it, or somebody else made it. What binds a role of
 * an object's rights goes, whoever made it.
 */
export async function removeOrphan(
  client: Client,
  ownerOf: (stray: Orphan) => OrphanOwner | undefined,
  stray: Orphan,
): Promise<void> {
  const { plural, namespace, name, revision } = stray;
  const roles = resourceNamed(client, RBAC_GROUP, plural);
  const role = roles.cached(namespace, name);
  if (role === undefined || String(role.revision) !== revision) return;
  const object = role.object();
  const isOurs = object.metadata.labels?.[MANAGED_BY.label] === MANAGED_BY.value;
  const owner = ownerOf(stray);
  if (!(isOurs && owner !== undefined) && !bindsObjectRights(roles, role)) return;
  const live = await owner?.resource.live(owner.namespace, owner.name);
  if (live !== undefined && owner?.wants(live) === true) return;
  // Who has rights by it has them by the names of today before it goes.
  if (live !== undefined) await owner?.resource.repair(owner.namespace, owner.name);
  const seen = { uid: uidOf(object), resourceVersion: revision };
  // Of the whole cluster this server may have no right to remove any: they give nothing.
  const mayStay = roles.foreign === true && !roles.definition.namespaced ? [FORBIDDEN] : [];
  await ignoring([404, 409, ...mayStay], roles.delete(namespace, name, seen));
}

const FORBIDDEN = 403;

/** In a binding of a role of an object's rights, among others. */
const BINDS = Buffer.from('"name":"management:');

/** Whether it binds a role of an object's rights. What is not ours at another API server is not ours to remove. */
export function bindsObjectRights({ definition, foreign }: ResourceClient, role: CachedObject): boolean {
  if (foreign === true || !definition.plural.endsWith('bindings') || !role.bytes.includes(BINDS))
    return false;
  return representsObjectRights(textIn(role.object().roleRef, 'name') ?? '');
}
