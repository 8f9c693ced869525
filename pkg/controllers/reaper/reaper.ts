/** Removes objects at their time: the end of the grace period, or of what an {@link Expiry} says of their kind. */
import { metadataOf } from '../metadata.js';
import { ignoring } from '../ignorederrors.js';
import type {
  CachedObject,
  Controller,
  ControllerContext,
  Reconciler,
  ResourceClient,
} from '../interface.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import { uidOf } from '../target.js';
import { DelayingQueue } from './delayingqueue.js';
import type { Expiry } from './expiry.js';

/** How often the clock is read: it may jump, so there are no timers for single objects. */
const TICK_MS = 500;
const DELETED = Buffer.from('"deletionTimestamp":"');

/** Keys of the queue: `load <resource>`, and `<resource> <namespace> <name>` of a due object. */
export const reaperController: Controller<Expiries> = {
  name: 'reaper-controller',
  user: 'reaper',
  workers: 8,
  start: startReaper,
};

interface Expiries {
  readonly expiries: readonly Expiry[];
}

/** The members of the context that the reaper uses. */
export type ReaperContext = Expiries &
  Pick<ControllerContext, 'client' | 'enqueue' | 'follow' | 'now' | 'every'>;

export function startReaper(context: ReaperContext): Reconciler {
  return new Reaper(context);
}

class Reaper implements Reconciler {
  private readonly queue = new DelayingQueue();
  private readonly resources: readonly ResourceClient[];
  private readonly expiries: readonly (Expiry | undefined)[];

  constructor(private readonly context: ReaperContext) {
    // Namespaces have no grace period; their content holds them.
    this.resources = context.client.resources.filter(
      ({ definition, foreign }) => definition.plural !== 'namespaces' && foreign !== true,
    );
    this.expiries = this.resources.map(({ definition: { group, plural } }) =>
      context.expiries.find(({ kind }) => kind.group === group && kind.plural === plural),
    );
    for (const [index, resource] of this.resources.entries()) {
      context.follow(resource, {
        replaced: () => context.enqueue(`load ${index}`),
        changed: (object) => this.see(index, object),
        deleted: ({ namespace, name }) => this.queue.delete(`${index} ${namespace} ${name}`),
      });
    }
    context.every(TICK_MS, () => {
      for (const key of this.queue.due(context.now())) context.enqueue(key);
    });
  }

  async reconcile(key: string): Promise<void> {
    const [first = '', namespace = '', name = ''] = key.split(' ');
    if (first === 'load') return this.load(Number(namespace));
    const index = Number(first);
    const resource = this.resources[index]!;
    const object = resource.cached({ namespace, name });
    if (object === undefined) return;
    const at = this.timeOf(index, object);
    if (at === undefined) return;
    if (at > this.context.now()) return this.queue.set(key, at);
    const uid = uidOf({ metadata: metadataOf(object) });
    // A changed object may have a later time. Grace periods are never extended.
    const moves = this.expiries[index]?.moves === true;
    const unchanged = moves ? { resourceVersion: String(object.revision) } : {};
    await ignoring(
      [404, 409],
      resource.delete({ namespace, name }, { uid, ...unchanged, gracePeriodSeconds: 0 }),
    );
  }

  private see(index: number, object: CachedObject): void {
    if (!this.mayEnd(index, object) && !object.bytes.includes(DELETED)) return;
    const at = this.timeOf(index, object);
    if (at !== undefined) this.queue.set(`${index} ${object.namespace} ${object.name}`, at);
  }

  /** Whether the object may expire, without parsing it. */
  private mayEnd(index: number, { bytes }: CachedObject): boolean {
    const expiry = this.expiries[index];
    return expiry !== undefined && (expiry.mark === undefined || bytes.includes(expiry.mark));
  }

  /** In milliseconds since 1970; undefined for an object that does not wait for time. */
  private timeOf(index: number, object: CachedObject): number | undefined {
    const metadata = metadataOf(object);
    const { deletionTimestamp, finalizers = [] } = metadata;
    if (deletionTimestamp !== undefined)
      return finalizers.length > 0 ? undefined : Date.parse(deletionTimestamp);
    if (!this.mayEnd(index, object)) return undefined;
    return this.expiries[index]?.endOf(metadata, () => object.object());
  }

  private async load(index: number): Promise<void> {
    const resource = this.resources[index]!;
    const maybeYield = slices();
    for (const object of resource.list('')) {
      await maybeYield();
      const now = resource.cached(object);
      if (now?.revision === object.revision) this.see(index, object);
    }
  }
}
