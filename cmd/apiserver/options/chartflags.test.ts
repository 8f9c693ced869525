/** The chart takes each flag of the server in `server.flags`, or sets it itself and refuses it there. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { FLAG_NAMES, FLAGS } from './flags/flags.js';

const path = new URL('../../../deploy/helm/values.schema.json', import.meta.url);
const schema = JSON.parse(readFileSync(path, 'utf8')) as {
  properties: { server: { properties: { flags: { items: { pattern: string; not: { pattern: string } } } } } };
};
const { pattern: taken, not } = schema.properties.server.properties.flags.items;
const NAMES = FLAG_NAMES.map((option) => FLAGS[option].name);

test('the chart takes or refuses every flag, and takes no other', () => {
  const both = (flag: string) => new RegExp(taken).test(flag) === new RegExp(not.pattern).test(flag);
  expect(NAMES.filter((name) => both(`--${name}`))).toEqual([]);
  const named = /^\^--\(([^)]*)\)/.exec(taken)?.[1]?.split('|') ?? [];
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !(NAMES as string[]).includes(name))).toEqual([]);
});
