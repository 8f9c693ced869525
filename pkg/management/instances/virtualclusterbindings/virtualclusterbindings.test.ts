import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Reconciler } from '../../../controllers/interface.js';
import type { ManagementContext } from '../../controllercontext.js';
import { type EndedBinding, type VirtualClusterBindings } from './interface.js';
import { virtualClusterBindingController } from './virtualclusterbindings.js';

const DAY = 24 * 3_600_000;

describe('the binding controller', () => {
  let now: number;
  let verdict: { holds: true; until: number } | EndedBinding | undefined;
  let reachable: boolean;
  let done: string[];
  let enqueued: Map<string, number>;
  let loop: Reconciler;
  const ended = (more: Partial<EndedBinding> = {}): EndedBinding => ({
    holds: false,
    what: 'c/ns/vc',
    why: 'gone',
    written: 0,
    end: DAY,
    hasInstance: true,
    remove() {
      if (!reachable) return Promise.reject(new Error('away'));
      done.push('removed');
      return Promise.resolve();
    },
    drop() {
      done.push('dropped');
      return Promise.resolve();
    },
    ...more,
  });

  beforeEach(() => {
    [now, reachable, done, enqueued, verdict] = [60_000, true, [], new Map(), undefined];
    const virtualClusterBindings: VirtualClusterBindings = {
      follow: () => ({ cancel: () => undefined }),
      all: () => ['a', 'b'],
      check: () => Promise.resolve(verdict),
      forget: () => undefined,
      placeOf: () => '',
    };
    loop = virtualClusterBindingController.start({
      virtualClusterBindings,
      log: { info: () => undefined, warn: () => undefined },
      enqueue: (key: string, afterMs = 0) => void enqueued.set(key, afterMs),
      now: () => now,
      onStop: () => undefined,
      every: () => undefined,
    } as unknown as ManagementContext<'virtualClusterBindings'>);
    enqueued.clear();
  });

  test('checks every binding', async () => {
    await loop.reconcile('*');
    expect([...enqueued.keys()]).toEqual(['a', 'b']);
  });

  test('leaves valid bindings, and checks them again when they may end', async () => {
    verdict = { holds: true, until: now + 1_000 };
    await loop.reconcile('a');
    expect([done, enqueued.get('a')]).toEqual([[], 1_000]);
    verdict = undefined;
    await loop.reconcile('a');
    expect(done).toEqual([]);
  });

  test('removes ended bindings, then their record', async () => {
    verdict = ended();
    await loop.reconcile('a');
    expect(done).toEqual(['removed', 'dropped']);
  });

  test('removes bindings again that a request in flight may have created', async () => {
    now = 10_000;
    verdict = ended();
    await loop.reconcile('a');
    expect([done, enqueued.get('a')]).toEqual([['removed'], 20_000]);
    now = 30_000;
    await loop.reconcile('a');
    expect(done).toEqual(['removed', 'removed', 'dropped']);
  });

  test('keeps the record while the virtual cluster is unreachable, for as long again as the certificate was valid', async () => {
    reachable = false;
    verdict = ended();
    await expect(loop.reconcile('a')).rejects.toThrow('away');
    now = DAY + 1;
    await expect(loop.reconcile('a')).rejects.toThrow('away');
    now = 2 * DAY;
    await loop.reconcile('a');
    expect(done).toEqual(['dropped']);
    [now, done] = [DAY + 1, []];
    verdict = ended({ hasInstance: false });
    await loop.reconcile('a');
    expect(done).toEqual(['dropped']);
  });
});
