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
