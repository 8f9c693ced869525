import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { collectGarbage } from '../../../test/fixtures/servers/garbagecollected.js';
import { DelayingQueue } from './delayingqueue.js';

test('returns due keys in order of time, each once and at its last time', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), at: fc.option(fc.nat(20)) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(20), (steps, now) => {
      const queue = new DelayingQueue();
      const expected = new Map<string, number>();
      for (const { key, at } of steps) {
        if (at === null) {
          queue.delete(key);
          expected.delete(key);
        } else {
          queue.set(key, at);
          expected.set(key, at);
        }
      }
      expect(queue.size).toBe(expected.size);
      const times = [...queue.due(now)].map((key) => expected.get(key));
      const due = [...expected.values()].filter((at) => at <= now).sort((a, b) => a - b);
      expect(times).toEqual(due);
      expect(queue.size).toBe(expected.size - due.length);
    }),
  );
});

function heapAfterCollection(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('does not grow when the time of a key changes repeatedly', () => {
  const queue = new DelayingQueue();
  queue.set('key', 0);
  const before = heapAfterCollection();
  for (let at = 1; at <= 200_000; at += 1) queue.set('key', at);
  expect(heapAfterCollection() - before).toBeLessThan(2_000_000);
  queue.delete('key');
  expect([...queue.due(Infinity)]).toEqual([]);
});
