/** A straight line through measurements, and how sure its slope is. */
export interface Trend {
  readonly mean: number;
  /** Change in an hour. */
  readonly slope: number;
  /** Of the slope. */
  readonly standardError: number;
}

export interface Point {
  readonly seconds: number;
  readonly value: number;
}

const HOUR = 3600;
/** A change in an hour below this share of the mean is flat, however sure it is. */
const NEGLIGIBLE = 0.01;

/**
 * Least squares through the means of consecutive blocks of `blockSeconds`: neighbouring samples of a process resemble
 * each other (garbage collection, compaction), so that each of them alone would make the slope look surer than it is.
 */
export function trendOf(points: readonly Point[], blockSeconds: number): Trend {
  const blocks = blocksOf(points, blockSeconds);
  const count = blocks.length;
  const mean = average(blocks.map(({ value }) => value));
  const middle = average(blocks.map(({ seconds }) => seconds));
  const spread = sum(blocks.map(({ seconds }) => (seconds - middle) ** 2));
  if (count < 3 || spread === 0) return { mean, slope: 0, standardError: Infinity };
  const slope = sum(blocks.map(({ seconds, value }) => (seconds - middle) * (value - mean))) / spread;
  const left = sum(blocks.map(({ seconds, value }) => (value - mean - slope * (seconds - middle)) ** 2));
  const standardError = Math.sqrt(left / (count - 2) / spread);
  return { mean, slope: slope * HOUR, standardError: standardError * HOUR };
}

/** Whether it grows by more than noise: more than two standard errors, and more than a hundredth of its mean in an hour. */
export const grows = ({ mean, slope, standardError }: Trend): boolean =>
  slope > 2 * standardError && slope > NEGLIGIBLE * mean;

function blocksOf(points: readonly Point[], blockSeconds: number): Point[] {
  const blocks = new Map<number, Point[]>();
  for (const point of points) {
    const block = Math.floor(point.seconds / blockSeconds);
    blocks.set(block, [...(blocks.get(block) ?? []), point]);
  }
  return [...blocks.values()].map((all) => ({
    seconds: average(all.map(({ seconds }) => seconds)),
    value: average(all.map(({ value }) => value)),
  }));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const average = (values: readonly number[]): number =>
  values.length === 0 ? 0 : sum(values) / values.length;
