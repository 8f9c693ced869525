import { readVectors } from '../vectors/read.js';

/** A line of a file of test vectors; members that are absent or no text are left out of the seeds. */
type Line = Readonly<Record<string, unknown>>;

/** The texts that `pick` takes out of each line of `test/vectors/<file>.jsonl.gz`. */
export function seedsOf(file: string, pick: (line: Line) => readonly unknown[]): Buffer[] {
  return readVectors<Line>(file)
    .flatMap(pick)
    .filter((text): text is string => typeof text === 'string')
    .map((text) => Buffer.from(text));
}
