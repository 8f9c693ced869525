/** What turns of two servers at one row come to. */
export interface Comparison {
  /** Medians. */
  readonly base: number;
  readonly change: number;
  /** How much more the change costs: 0.1 is a tenth. */
  readonly more: number;
}

export function compare(base: readonly number[], change: readonly number[]): Comparison {
  const [before, after] = [median(base), median(change)];
  return { base: before, change: after, more: before === 0 ? 0 : after / before - 1 };
}

export function median(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b);
  const middle = ascending.length / 2;
  const at = (index: number): number => ascending[index] ?? 0;
  return Number.isInteger(middle) ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle));
}

/** Rounds after which a row may pass, and those after which it may fail. */
const ROUNDS = { least: 3, most: 9 };
/** Of the rounds of a row that fails. */
const NEARLY_ALL = 0.75;

/**
 * Of the costs of the rounds so far, where other work on the machine disturbs some: a row passes as soon as the middle round is not
 * above `most`, and fails when nearly all are, of {@link ROUNDS.most}. Undefined: another round is needed.
 */
export function decide(
  base: readonly number[],
  change: readonly number[],
  most: number,
): 'passes' | 'fails' | undefined {
  const rounds = Math.min(base.length, change.length);
  if (rounds < ROUNDS.least) return undefined;
  const more = change.slice(0, rounds).map((cost, round) => cost / (base[round] ?? 0) - 1);
  if (median(more) <= most) return 'passes';
  if (rounds < ROUNDS.most) return undefined;
  return more.filter((one) => one > most).length >= rounds * NEARLY_ALL ? 'fails' : 'passes';
}
