import type { ObjectMeta } from '../../../api/resource.js';
import { groupResource } from '../../apimachinery/errors.js';
import { ignoring } from '../ignorederrors.js';
import type { CachedObject, Client, ResourceClient } from '../interface.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import { inParallel } from '../inparallel.js';
import { uidOf } from '../target.js';
import { messageOf } from '../../apimachinery/caught.js';

/** The content of a namespace after everything in it was deleted. */
export interface Content {
  /** `configmaps.` (the group follows the dot), and the number of objects. */
  readonly remaining: ReadonlyMap<string, number>;
  /** The finalizers that hold them, and the number of objects each. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Messages about failed deletes and lists. */
  readonly failures: readonly string[];
}

const PARALLEL = 16;
/** Deleted last, as others need these to finish their work in the namespace. */
const LAST = ['rolebindings', 'roles', 'serviceaccounts'];

/**
 * Deletes the content of the namespace, roles and service accounts last, and returns what remains. A kind
 * that cannot be listed or deleted does not affect the others.
 */
export async function emptyNamespace(
  client: Client,
  resources: readonly ResourceClient[],
  namespace: string,
): Promise<Content> {
  const isLast = ({ definition }: ResourceClient): boolean => LAST.includes(definition.plural);
  const failures: string[] = [];
  await client.current();
  for (const stage of [resources.filter((one) => !isLast(one)), resources.filter(isLast)]) {
    for (const resource of stage) await attempt(failures, resource, () => empty(resource, namespace));
    await client.current();
    if (stage.some((resource) => resource.count(namespace) > 0)) break;
  }
  return { ...(await remains(resources, namespace, failures)), failures };
}

async function attempt(
  failures: string[],
  resource: ResourceClient,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reason = messageOf(error);
    failures.push(`${groupResource(resource.definition)}: ${reason}`);
  }
}

async function empty(resource: ResourceClient, namespace: string): Promise<void> {
  await inParallel(resource.list(namespace), PARALLEL, async (object) => {
    if (!needsDelete(object)) return;
    const uid = uidOf(object.object());
    // 409: another object has taken the name, and is handled next time.
    await ignoring(
      [404, 409],
      resource.delete({ namespace, name: object.name }, { uid, gracePeriodSeconds: 0 }),
    );
  });
}

/** An object that was deleted already needs no delete, unless it has a grace period. */
function needsDelete(object: CachedObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 }: ObjectMeta = object.object().metadata;
  return deletionTimestamp === undefined || deletionGracePeriodSeconds > 0;
}

async function remains(
  resources: readonly ResourceClient[],
  namespace: string,
  failures: string[],
): Promise<Pick<Content, 'remaining' | 'finalizers'>> {
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const maybeYield = slices();
  for (const resource of resources) {
    await attempt(failures, resource, async () => {
      const count = resource.count(namespace);
      if (count === 0) return;
      remaining.set(`${resource.definition.plural}.${resource.definition.group}`, count);
      for (const object of resource.list(namespace)) {
        for (const finalizer of object.object().metadata.finalizers ?? [])
          finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
        await maybeYield();
      }
    });
  }
  return { remaining, finalizers };
}
