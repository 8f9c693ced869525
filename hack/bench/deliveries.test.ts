import { expect, test } from '@jest/globals';
import { Deliveries, revisionIn } from './deliveries.js';

const event = (revision: number): Buffer =>
  Buffer.from(`{"type":"MODIFIED","object":{"metadata":{"resourceVersion":"${revision}"}}}\n`);

test('the time of a write is that of its last watch, however the stream was cut', async () => {
  const deliveries = new Deliveries(2);
  const [one, other] = [deliveries.reader(), deliveries.reader()];
  const both = Buffer.concat([event(7), event(8)]);
  const begun = performance.now() - 1000;
  deliveries.wrote('7', begun);
  one(both.subarray(0, 30));
  one(both.subarray(30));
  deliveries.wrote('8', begun + 500);
  const latencies = deliveries.latencies();
  other(both);
  const [first = 0, second = 0] = await latencies;
  expect(first).toBeGreaterThanOrEqual(500);
  expect(second - first).toBeGreaterThan(450);
});

test.each([
  ['{"metadata":{"resourceVersion":"12","name":"a"}}', '12'],
  ['{"metadata":{}}', ''],
])('the revision in %s is "%s"', (text, revision) => expect(revisionIn(Buffer.from(text))).toBe(revision));
