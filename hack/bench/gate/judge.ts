/** Two servers take turns at a row, and what it costs them is compared. */
import { cpuSeconds } from '../cpu.js';
import { compare, decide, type Comparison } from './compare.js';
import type { GateRow, Prepared, Subject } from './row.js';

export interface Judged extends Comparison {
  readonly failed: boolean;
}

/** How much more is too much: 0.1 is a tenth. */
export interface Bounds {
  readonly most: number;
  readonly rounds: number;
}

/** Other work on the machine costs a row twice in a row seldom. */
export async function judgeTwice(
  row: GateRow,
  subjects: readonly Subject[],
  { most, rounds }: Bounds,
): Promise<Judged> {
  const measured = async (count: number): Promise<Comparison> => {
    const [base, change] = await takeTurns(row, subjects, (done) => done.length < count);
    return compare(base, change);
  };
  const first = await measured(rounds);
  const last = first.more > most ? await measured(rounds * 2) : first;
  return { ...last, failed: last.more > most };
}

/** Until it is sure, in as few rounds as that takes. */
export async function judgeQuickly(
  row: GateRow,
  subjects: readonly Subject[],
  most: number,
): Promise<Judged> {
  const [base, change] = await takeTurns(
    row,
    subjects,
    (before, after) => decide(before, after, most) === undefined,
  );
  return { ...compare(base, change), failed: decide(base, change, most) === 'fails' };
}

type Costs = readonly [base: readonly number[], change: readonly number[]];

/** The servers begin a round in turns. Costs are of one operation, in seconds of the server's CPU. */
export async function takeTurns(
  row: GateRow,
  subjects: readonly Subject[],
  goesOn: (base: readonly number[], change: readonly number[]) => boolean,
): Promise<Costs> {
  const prepared: Prepared[] = [];
  const [base, change]: [number[], number[]] = [[], []];
  try {
    for (const subject of subjects) prepared.push(await row.prepare(subject));
    for (let round = -row.warmUps; round < 0 || goesOn(base, change); round++) {
      const order = round % 2 === 0 ? [0, 1] : [1, 0];
      for (const at of order) {
        const value = await cost(subjects[at] as Subject, prepared[at] as Prepared);
        if (round >= 0) (at === 0 ? base : change).push(value);
      }
    }
  } finally {
    for (const each of prepared) each.close();
  }
  return [base, change];
}

async function cost({ target }: Subject, prepared: Prepared): Promise<number> {
  const before = cpuSeconds(target.pid);
  const { operations } = await prepared.load();
  return (cpuSeconds(target.pid) - before) / operations;
}
