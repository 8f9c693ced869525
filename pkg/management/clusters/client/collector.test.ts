import { expect, test } from '@jest/globals';
import { Collector } from './collector.js';

const MIB = 1024 * 1024;

test.each([0, 1, 20_000, 100_000, MIB, 5 * MIB])('collects a text of %i bytes, twice', (length) => {
  const collected = new Collector();
  for (const letter of ['a', 'b']) {
    const bytes = Buffer.alloc(length, letter);
    for (let at = 0; at < length; at += 16_384) collected.add(bytes.subarray(at, at + 16_384));
    expect(collected.length).toBe(length);
    expect(collected.take() === letter.repeat(length)).toBe(true);
  }
  expect([collected.length, collected.total]).toEqual([0, 2 * length]);
});

test('texts that are collected at the same time do not mix', () => {
  const all = ['a', 'b', 'c', 'd'].map((letter) => ({ letter, collected: new Collector() }));
  for (let round = 0; round < 20; round += 1)
    for (const { letter, collected } of all) collected.add(Buffer.alloc(16_384, letter));
  for (const { letter, collected } of all) expect(collected.take()).toBe(letter.repeat(20 * 16_384));
});
