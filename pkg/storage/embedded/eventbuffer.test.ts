import { expect, test } from '@jest/globals';
import { collectGarbage } from '../../../test/fixtures/servers/garbagecollected.js';
import { EventBuffer } from './eventbuffer.js';

const MIB = 1024 * 1024;

const event = (revision: number, bytes: number) => ({
  ...{ key: `registry/a/${revision}`, revision, commitEnd: true },
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

test('frees large values that were dropped', () => {
  const before = bytesAfterCollection();
  const buffer = new EventBuffer(100);
  for (let revision = 101; revision <= 400; revision += 1) buffer.push([event(revision, MIB)]);
  expect(buffer.after).toBeGreaterThan(380);
  expect(bytesAfterCollection() - before).toBeLessThan(64 * MIB);
});
