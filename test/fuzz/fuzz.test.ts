/**
 * Mutated inputs against every decoder: bad input is answered, never thrown on. `FUZZ_SECONDS` (0.5) is the time for each
 * target, `SEED` repeats a run. An input that finds a defect is kept in `corpus/<target>/` and read again in every run.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mutated } from './mutations.js';
import { MERGING_TARGETS } from './merging.js';
import { TARGETS, isAnswer, type FuzzTarget } from './targets.js';

const SECONDS = Number(process.env.FUZZ_SECONDS ?? '0.5');
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };
const CORPUS = fileURLToPath(new URL('corpus', import.meta.url));

/** Throws what is a defect, with the input beside it. */
function readOnce({ read }: FuzzTarget, input: Buffer): void {
  try {
    read(input);
  } catch (error) {
    if (isAnswer(error)) return;
    throw new Error(`${JSON.stringify(input.toString('latin1'))}`, { cause: error });
  }
}

function kept({ name }: FuzzTarget): readonly string[] {
  const folder = join(CORPUS, name);
  return existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [];
}

function keep({ name }: FuzzTarget, input: Buffer): void {
  const folder = join(CORPUS, name);
  mkdirSync(folder, { recursive: true });
  const digest = createHash('sha256').update(input).digest('hex').slice(0, 16);
  writeFileSync(join(folder, digest), input);
}

describe.each([...TARGETS, ...MERGING_TARGETS])('$name', (target) => {
  test('inputs that found defects are answered', () => {
    for (const file of kept(target)) readOnce(target, readFileSync(file));
  });

  test('mutated inputs are answered', () => {
    const seeds = target.seeds();
    expect(seeds.length).toBeGreaterThan(0);
    for (const seed of seeds) readOnce(target, seed);
    let smallest: Buffer | undefined;
    try {
      fc.assert(
        fc.property(mutated(seeds), (input) => {
          try {
            readOnce(target, input);
          } catch (error) {
            smallest = input;
            throw error;
          }
        }),
        {
          ...SEED,
          numRuns: 1_000_000,
          interruptAfterTimeLimit: SECONDS * 1000,
          includeErrorInReport: true,
        },
      );
    } finally {
      if (smallest !== undefined) keep(target, smallest);
    }
  });
});
