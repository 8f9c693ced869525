/**
 * Removes objects at their time: the end of the grace period, and of the retention of events, expired access
 * keys and tokens.
 */
import type { ObjectMeta } from '../../../api/resource.js';
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
import { isAccessKey, isEndingKey, removalOfKey } from '../../management/accesskeys/expiry.js';
import { isTokenRecord, tokenEnd } from '../../management/directtokens/expiry.js';
import { DelayingQueue } from './delayingqueue.js';

/** How often the clock is read: it may jump, so there are no timers for single objects. */
const TICK_MS = 500;
const DELETED = Buffer.from('"deletionTimestamp":"');

/** Keys of the queue: `load <resource>`, and `<resource> <namespace> <name>` of a due object. */
export const reaperController: Controller = {
  name: 'reaper-controller',
  user: 'reaper',
  workers: 8,
  start: startReaper,
};

/** The members of the context that the reaper uses. */
export type ReaperContext = Pick<
  ControllerContext,
  'client' | 'eventTtlMs' | 'accessKeyRetentionMs' | 'enqueue' | 'follow' | 'now' | 'every'
>;

export function startReaper(context: ReaperContext): Reconciler {
  return new Reaper(context);
}

class Reaper implements Reconciler {
  private readonly queue = new DelayingQueue();
  private readonly resources: readonly ResourceClient[];

  constructor(private readonly context: ReaperContext) {
    // Namespaces have no grace period; their content holds them.
    this.resources = context.client.resources.filter(
      ({ definition, foreign }) => definition.plural !== 'namespaces' && foreign !== true,
    );
    for (const [index, resource] of this.resources.entries()) {
      context.follow(resource, {
        replaced: () => context.enqueue(`load ${index}`),
        changed: (object) => this.see(index, resource, object),
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
    const resource = this.resources[Number(first)]!;
    const object = resource.cached(namespace, name);
    if (object === undefined) return;
    const at = this.timeOf(resource, object);
    if (at === undefined) return;
    if (at > this.context.now()) return this.queue.set(key, at);
    const uid = uidOf({ metadata: metadataOf(object) });
    // A changed object may have a later time. Grace periods are never extended.
    const unchanged =
      isEvent(resource) || isAccessKey(resource) ? { resourceVersion: String(object.revision) } : {};
    await ignoring(
      [404, 409],
      resource.delete(namespace, name, { uid, ...unchanged, gracePeriodSeconds: 0 }),
    );
  }

  private see(index: number, resource: ResourceClient, object: CachedObject): void {
    const ends = isEvent(resource) || isEndingKey(resource, object) || isTokenRecord(resource);
    if (!ends && !object.bytes.includes(DELETED)) return;
    const at = this.timeOf(resource, object);
    if (at !== undefined) this.queue.set(`${index} ${object.namespace} ${object.name}`, at);
  }

  /** In milliseconds since 1970; undefined for an object that does not wait for time. */
  private timeOf(resource: ResourceClient, object: CachedObject): number | undefined {
    const { eventTtlMs, accessKeyRetentionMs } = this.context;
    const metadata = metadataOf(object);
    const { deletionTimestamp, finalizers = [] } = metadata;
    if (deletionTimestamp !== undefined)
      return finalizers.length > 0 ? undefined : Date.parse(deletionTimestamp);
    if (isEvent(resource)) return lastWrite(metadata) + eventTtlMs;
    if (isTokenRecord(resource)) return tokenEnd(object.object());
    return isEndingKey(resource, object) ? removalOfKey(object.object(), accessKeyRetentionMs) : undefined;
  }

  private async load(index: number): Promise<void> {
    const resource = this.resources[index]!;
    const maybeYield = slices();
    for (const object of resource.list('')) {
      await maybeYield();
      const now = resource.cached(object.namespace, object.name);
      if (now?.revision === object.revision) this.see(index, resource, object);
    }
  }
}

const isEvent = ({ definition }: ResourceClient): boolean =>
  definition.group === '' && definition.plural === 'events';

/** By the server's clock: times that clients set in an event are ignored. */
function lastWrite({ creationTimestamp = '', managedFields = [] }: ObjectMeta): number {
  const times = managedFields.map(({ time }) => Date.parse(time ?? creationTimestamp));
  return Math.max(Date.parse(creationTimestamp), ...times.filter((time) => !Number.isNaN(time)));
}
