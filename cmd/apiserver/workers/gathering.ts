/** Gathers the metrics of several workers, with a timeout. */
import type { MetricObject } from 'prom-client';

/** A worker that does not answer within this time is left out. */
const GATHER_TIMEOUT_MS = 2_000;

interface Round<One> {
  readonly missing: Set<One>;
  readonly metrics: (readonly MetricObject[])[];
  readonly finish: () => void;
}

export class Gathering<One> {
  private readonly rounds = new Map<number, Round<One>>();
  private last = 0;

  /**
   * Resolves with the metrics that each of `all` has sent, by {@link collected} with the number that `ask`
   * gets.
   */
  begin(
    all: readonly One[],
    ask: (one: One, round: number) => void,
  ): Promise<readonly (readonly MetricObject[])[]> {
    const id = (this.last += 1);
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.rounds.delete(id);
        resolve(round.metrics);
      };
      const round: Round<One> = { missing: new Set(all), metrics: [], finish };
      const timer = setTimeout(finish, GATHER_TIMEOUT_MS);
      this.rounds.set(id, round);
      for (const one of all) ask(one, id);
      if (all.length === 0) finish();
    });
  }

  collected(
    one: One,
    { id, metrics }: { readonly id: number; readonly metrics: readonly MetricObject[] },
  ): void {
    const round = this.rounds.get(id);
    if (round === undefined || !round.missing.delete(one)) return;
    round.metrics.push(metrics);
    if (round.missing.size === 0) round.finish();
  }

  /** Stops waiting for a worker that has ended. */
  gone(one: One): void {
    for (const round of this.rounds.values())
      if (round.missing.delete(one) && round.missing.size === 0) round.finish();
  }
}
