import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { AnswerBudget } from './answerbudget.js';

const MIB = 1024 * 1024;

/** A budget that is never used up, as its clock runs an hour with each look. */
function budgetOf(): AnswerBudget {
  let now = 0;
  return new AnswerBudget(() => (now += 3_600_000));
}

test('delays requests after 4 MiB, by 2 MiB a second, and large answers by a quarter of that', () => {
  let now = 0;
  const budget = new AnswerBudget(() => now);
  const small = (bytes: number): void => {
    for (let sum = 0; sum < bytes; sum += 65_536) budget.charge(65_536);
  };
  small(4 * MIB);
  expect(budget.waitMs()).toBe(0);
  small(MIB);
  expect(budget.waitMs()).toBe(500);
  now += 500;
  expect(budget.waitMs()).toBe(0);
  // A large one counts four times.
  budget.charge(MIB);
  expect(budget.waitMs()).toBe(2_000);
});

test('reads one large answer at a time, and small ones beside it', async () => {
  const budget = new AnswerBudget();
  const streams = [0, 1].map(() => new Readable({ read: () => undefined }));
  const order: number[] = [];
  const reading = streams.map((stream, at) => budget.read(stream, MIB, () => order.push(at)));
  for (const stream of streams) stream.push(Buffer.alloc(100_000, 'x'));
  await new Promise((resolve) => setImmediate(resolve));
  streams[1]?.push(null);
  expect(await budget.read(Readable.from([Buffer.from('small')]), MIB, (text) => text)).toBe('small');
  expect(order).toEqual([]);
  streams[0]?.push(null);
  await Promise.all(reading);
  expect(order).toEqual([0, 1]);
});

test('rejects an answer beyond its limit, and continues with the next one', async () => {
  const budget = new AnswerBudget();
  const endless = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(64 * 1024)));
  await expect(budget.read(endless, MIB, (text) => text)).rejects.toThrow('too large');
  expect(endless.destroyed).toBe(true);
  const next = Readable.from([Buffer.alloc(100_000, 'x')]);
  expect(await budget.read(next, MIB, (_text, bytes) => bytes)).toBe(100_000);
});

test('reads the lines of a watch split at any byte, with one large one of all at a time', async () => {
  const budget = new AnswerBudget();
  const { signal } = new AbortController();
  const bytes = [...Buffer.from('ä\n\nb\ncut')].map((byte) => Buffer.of(byte));
  const lines: string[] = [];
  await budget.readLines(Readable.from(bytes), { maxBytes: MIB, signal }, (line) => void lines.push(line));
  expect(lines).toEqual(['ä', '', 'b']);
  const large = Buffer.concat([Buffer.alloc(100_000, 'x'), Buffer.from('\n')]);
  const seen: number[] = [];
  const follow = async (): Promise<void> => {
    await budget.readLines(
      Readable.from([large.subarray(0, 90_000), large.subarray(90_000)]),
      { maxBytes: MIB, signal },
      ({ length }) => void seen.push(length),
    );
  };
  await Promise.all([follow(), follow(), follow()]);
  expect(seen).toEqual([100_000, 100_000, 100_000]);
});

test('skips the lines of a watch that are longer than allowed, whatever their length', async () => {
  const { signal } = new AbortController();
  const line = (length: number, letter: string): Buffer => Buffer.from(`${letter.repeat(length)}\n`);
  const all = Buffer.concat([
    line(10, 'a'),
    line(3 * MIB, 'b'),
    line(10, 'c'),
    line(MIB + 1, 'd'),
    line(MIB, 'e'),
  ]);
  for (const size of [1_000, 65_536, all.length]) {
    const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
      all.subarray(at * size, (at + 1) * size),
    );
    const seen: string[] = [];
    const limits = { maxBytes: 4 * MIB, skipLarger: MIB, signal };
    await budgetOf().readLines(Readable.from(chunks), limits, (text) => {
      if (text !== '') seen.push(text[0] + String(text.length));
    });
    expect(seen).toEqual(['a10', 'c10', `e${MIB}`]);
  }
});
