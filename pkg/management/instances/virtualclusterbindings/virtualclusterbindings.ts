/**
 * Removes the bindings that kubeconfigs created inside a virtual cluster, when the right to use the instance
 * has ended.
 */
import type { ManagementController } from '../../controllercontext.js';
import type { EndedBinding } from './interface.js';

/**
 * Rights of another API server take effect there a moment after its watches report them: they are checked
 * again after this time.
 */
const SETTLED_MS = 2_000;
/** How often all bindings are checked, as a change may be missed. */
const ALL_MS = 60_000;
const LONGEST_MS = 3_600_000;
/** How long after its record was written a request in flight may create a binding. */
const IN_FLIGHT_MS = 30_000;

export const virtualClusterBindingController: ManagementController<'virtualClusterBindings'> = {
  name: 'virtual-cluster-binding-controller',
  user: 'virtual-cluster-binding',
  workers: 8,
  clusterWorkers: 1,
  start({ virtualClusterBindings: bindings, enqueue, every, onStop, now, log }) {
    const unsettled = new Set<string>();
    const checked = new Set<string>();
    const enqueueAll = (): void => {
      for (const binding of bindings.all()) enqueue(binding);
    };
    const { cancel } = bindings.follow((binding) => {
      unsettled.add(binding);
      enqueue(binding);
    });
    onStop(() => {
      cancel();
      for (const binding of checked) bindings.forget(binding);
    });
    /**
     * Keeps the record until no request can bind by it any more. In an unreachable virtual cluster the removal is
     * retried for as long again as the certificates were valid, which bounds the records of a user.
     */
    async function end(binding: string, { remove, drop, what, why, ...ended }: EndedBinding): Promise<void> {
      try {
        await remove();
      } catch (error) {
        const retried = ended.hasInstance ? ended.end - ended.written : 0;
        if (now() < ended.end + retried) throw error;
      }
      const left = ended.written + IN_FLIGHT_MS - now();
      if (left > 0) return enqueue(binding, left);
      log.info({ virtualCluster: what, why }, 'a binding in a virtual cluster has been removed');
      await drop();
    }
    every(ALL_MS, () => enqueue(EVERY));
    enqueue(EVERY);
    return {
      clusterOf: (binding) => bindings.placeOf(binding),
      async reconcile(binding) {
        if (binding === EVERY) return enqueueAll();
        const verdict = await bindings.check(binding);
        if (unsettled.delete(binding)) enqueue(binding, SETTLED_MS);
        if (verdict === undefined) return void checked.delete(binding);
        checked.add(binding);
        if (!verdict.holds) return end(binding, verdict);
        enqueue(binding, Math.min(Math.max(verdict.until - now(), 1), LONGEST_MS));
      },
    };
  },
};

/** The queue key for all bindings, which is retried until they can be read. */
const EVERY = '*';
