import { expect, test } from '@jest/globals';
import { collectGarbage } from '../../../test/fixtures/servers/garbagecollected.js';
import { eventually } from '../../../test/fixtures/wait.js';
import { EventBuffer } from './eventbuffer.js';

const MIB = 1024 * 1024;

const event = (revision: number, bytes: number) => ({
  key: `registry/a/${revision}`,
  revision,
  commitEnd: true,
  value: Buffer.alloc(bytes, 'x'),
});

function bytesAfterCollection(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

test('returns the buffered events after a revision, oldest first', () => {
  const buffer = new EventBuffer(100);
  for (let revision = 101; revision <= 20_000; revision += 1) buffer.push([event(revision, 10)]);
  expect(buffer.after).toBe(20_000 - 8_192);
  expect([...buffer.since(19_997)].map(({ revision }) => revision)).toEqual([19_998, 19_999, 20_000]);
  expect([...buffer.since(buffer.after)]).toHaveLength(8_192);
});

test('frees large values that were dropped', async () => {
  const before = bytesAfterCollection();
  const buffer = new EventBuffer(100);
  for (let revision = 101; revision <= 400; revision += 1) buffer.push([event(revision, MIB)]);
  expect(buffer.after).toBeGreaterThan(380);
  // Of the 300 MiB that were pushed. V8 frees their memory beside the main thread, and not all of it in one collection.
  await eventually('little memory', () => Promise.resolve(bytesAfterCollection() - before < 64 * MIB));
  expect([...buffer.since(buffer.after)].length).toBeGreaterThan(0);
});
