import { expect, test } from '@jest/globals';
import { RecentWrites } from './recentwrites.js';

const plain = (text: string): Buffer => Buffer.from(text);
const encrypted = (text: string): Buffer => Buffer.from(`encrypted ${text}`);

test('finds the last value of each key only if every byte is equal', () => {
  const recent = new RecentWrites();
  recent.add('a', encrypted('one'), plain('one'));
  recent.add('b', encrypted('two'), plain('two'));
  expect(recent.find('a', encrypted('one'))?.toString()).toBe('one');
  expect(recent.find('b', encrypted('one'))).toBeUndefined();
  recent.add('a', encrypted('three'), plain('three'));
  expect(recent.find('a', encrypted('one'))).toBeUndefined();
  expect(recent.find('a', encrypted('three'))?.toString()).toBe('three');
});

test('keeps 256 writes, whatever their keys', () => {
  const recent = new RecentWrites();
  const write = (index: number): void =>
    recent.add(`key-${index % 300}`, encrypted(`${index}`), plain(`${index}`));
  const found = (index: number): boolean =>
    recent.find(`key-${index % 300}`, encrypted(`${index}`)) !== undefined;
  for (let index = 0; index < 1_000; index += 1) write(index);
  const all = Array.from({ length: 1_000 }, (_, index) => index).filter(found);
  expect(all).toEqual(Array.from({ length: 256 }, (_, index) => 744 + index));
  for (let index = 0; index < 400; index += 1) recent.add('hot', encrypted(`${index}`), plain(`${index}`));
  expect(found(999)).toBe(false);
  expect(recent.find('hot', encrypted('399'))?.toString()).toBe('399');
});

test('keeps at most 4 MiB', () => {
  const recent = new RecentWrites();
  const large = Buffer.alloc(1024 * 1024);
  for (const key of ['a', 'b', 'c']) recent.add(key, large, large);
  expect(['a', 'b', 'c'].map((key) => recent.find(key, large) !== undefined)).toEqual([false, true, true]);
  recent.add('d', Buffer.alloc(5 * 1024 * 1024), large);
  expect(['b', 'c', 'd'].map((key) => recent.find(key, large) !== undefined)).toEqual([false, false, false]);
});
