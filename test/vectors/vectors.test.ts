import { readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { DEVIATIONS } from './deviations.js';
import { idOf, type Line } from './judge/judge.js';
import { JUDGED } from './judges.js';
import { readVectors } from './read.js';

const FOLDER = new URL('.', import.meta.url);

test('every file of this folder has a judge, so that `make vectors` runs its lines', () => {
  const files = readdirSync(FOLDER).flatMap((file) => /^(.*)\.jsonl\.gz$/.exec(file)?.[1] ?? []);
  expect([...JUDGED].sort()).toEqual(files.sort());
});

test('every deviation is of a line that is there', () => {
  const unknown = Object.entries(DEVIATIONS).flatMap(([file, lines]) => {
    const ids = new Set(readVectors<Line>(file).map(idOf));
    return Object.keys(lines).filter((id) => !ids.has(id));
  });
  expect(unknown).toEqual([]);
});
