/** Takes away what a kubeconfig of a virtual cluster bound inside it, when the right to use the instance has ended. */
import type { EndedBinding, Controller } from '../interface.js';

/** Rights of another API server count there a moment after its watches told of them: so long after, they are asked again. */
const SETTLED_MS = 2_000;
/** Nothing is relied on to tell of every change: all bindings are looked at so often. */
const ALL_MS = 60_000;
const LONGEST_MS = 3_600_000;
/** A request that was under way when the right ended may bind so long after its record was written. */
const UNDER_WAY_MS = 30_000;
/** So long after its certificates ended, a binding is looked for in a virtual cluster that cannot be reached. */
const GIVE_UP_MS = 7 * 24 * 3_600_000;

export const virtualClusterBindingController: Controller = {
  name: 'virtual-cluster-binding-controller',
  user: 'virtual-cluster-binding',
  workers: 8,
  start({ virtualClusterBindings: bindings, enqueue, every, onStop, now, log }) {
    const unsettled = new Set<string>();
    const judged = new Set<string>();
    const enqueueAll = (): void => {
      for (const binding of bindings.all()) enqueue(binding);
    };
    const { cancel } = bindings.follow((binding) => {
      unsettled.add(binding);
      enqueue(binding);
    });
    onStop(() => {
      cancel();
      for (const binding of judged) bindings.forget(binding);
    });
    /** Leaves the record until nobody can bind any more by what it was written for. */
    async function end(binding: string, { remove, drop, what, why, ...ended }: EndedBinding): Promise<void> {
      try {
        await remove();
      } catch (error) {
        if (now() < ended.end + (ended.hasInstance ? GIVE_UP_MS : 0)) throw error;
      }
      const left = ended.written + UNDER_WAY_MS - now();
      if (left > 0) return enqueue(binding, left);
      log.info({ virtualCluster: what, why }, 'a binding in a virtual cluster has been removed');
      await drop();
    }
    every(ALL_MS, () => enqueue(EVERY));
    enqueue(EVERY);
    return {
      async reconcile(binding) {
        if (binding === EVERY) return enqueueAll();
        const verdict = await bindings.judge(binding);
        if (unsettled.delete(binding)) enqueue(binding, SETTLED_MS);
        if (verdict === undefined) return void judged.delete(binding);
        judged.add(binding);
        if (!verdict.holds) return end(binding, verdict);
        enqueue(binding, Math.min(Math.max(verdict.until - now(), 1), LONGEST_MS));
      },
    };
  },
};

/** Stands in the queue for all of them: what cannot be read yet is tried again. */
const EVERY = '*';
