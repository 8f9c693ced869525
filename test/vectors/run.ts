/**
 * Runs every line of every vector file of a folder (the first argument) and ends with `N passed, N failed`. Files:
 * `<name>.jsonl` or `<name>.jsonl.gz`, and schemas.json, which is taken from the second folder where the first has
 * none. Ends with status 1 if a line failed.
 */
import { readdirSync } from 'node:fs';
import { DEVIATIONS } from './deviations.js';
import { idOf, type Judge, type Line, type Schemas } from './judge/judge.js';
import { judgeOf } from './judges.js';
import { readVectors, readVectorText } from './read.js';

/** How many failures of one file are told in full. */
const TOLD = 20;

interface Tally {
  passed: number;
  failed: number;
}

function judgeFile(name: string, lines: readonly Line[], judge: Judge): Tally {
  const tally: Tally = { passed: 0, failed: 0 };
  for (const line of lines) {
    try {
      judge(line);
      tally.passed += 1;
    } catch (error) {
      tally.failed += 1;
      if (tally.failed <= TOLD) console.log(`FAILED ${name} ${idOf(line)}: ${String(error)}`);
    }
  }
  return tally;
}

function judgeFolder(folder: string, fallback: string): Tally {
  const files = readdirSync(folder);
  const own = files.some((file) => file === 'schemas.json' || file === 'schemas.json.gz');
  const schemas = JSON.parse(readVectorText('schemas.json', own ? folder : fallback)) as Schemas;
  const total: Tally = { passed: 0, failed: 0 };
  const names = files.flatMap((file) => /^(.*)\.jsonl(?:\.gz)?$/.exec(file)?.[1] ?? []);
  for (const name of [...new Set(names)].sort()) {
    const lines = readVectors<Line>(name, folder);
    const judge = judgeOf(name, { schemas, lines });
    if (judge === undefined) console.log(`FAILED ${name}: nothing judges its ${lines.length} lines`);
    const tally = judge === undefined ? { passed: 0, failed: lines.length } : judgeFile(name, lines, judge);
    const differ = lines.filter((line) => DEVIATIONS[name]?.[idOf(line)] !== undefined).length;
    const note = differ === 0 ? '' : ` (${differ} of them differ as deviations.ts says)`;
    console.log(`${name}: ${tally.passed} passed${note}, ${tally.failed} failed`);
    total.passed += tally.passed;
    total.failed += tally.failed;
  }
  return total;
}

const [folder, fallback] = process.argv.slice(2);
if (folder === undefined || fallback === undefined) throw new Error('usage: run.js <folder> <folder>');
const { passed, failed } = judgeFolder(folder, fallback);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
