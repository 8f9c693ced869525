/** So many requests begin in one turn of the event loop: a burst is no wait for the users who have no part in it. */
import { onEndOfTurn } from '../../ticks.js';

/** Undefined where the request may begin now. */
export type Pace = (share: string) => Promise<void> | undefined;

export interface PaceOptions {
  /** Of one share, in a turn. */
  readonly ofOne: number;
  /** Of all, in a turn; one of each share may begin past it. */
  readonly ofAll: number;
}

export function pace({ ofOne, ofAll }: PaceOptions): Pace {
  /** Begun in this turn, by share. */
  const begun = new Map<string, number>();
  /** In the order of their turns. */
  const lines = new Map<string, (() => void)[]>();
  let all = 0;
  let asked = false;

  function begin(share: string): void {
    begun.set(share, (begun.get(share) ?? 0) + 1);
    all += 1;
  }

  /** One of each share, as long as there is room. Answers whether there may be more. */
  function beginOneOfEach(): boolean {
    const before = all;
    for (const [share, line] of [...lines]) {
      if (all >= ofAll) return false;
      if ((begun.get(share) ?? 0) >= ofOne) continue;
      lines.delete(share);
      const [next] = line.splice(0, 1);
      if (line.length > 0) lines.set(share, line);
      begin(share);
      next?.();
    }
    return all > before;
  }

  const turn = {
    atEndOfTurn(): void {
      asked = false;
      begun.clear();
      all = 0;
      while (beginOneOfEach());
      if (all > 0) ask();
    },
  };
  function ask(): void {
    if (asked) return;
    asked = true;
    onEndOfTurn(turn);
  }

  return (share) => {
    ask();
    const count = begun.get(share) ?? 0;
    if (!lines.has(share) && count < ofOne && (all < ofAll || count === 0)) {
      begin(share);
      return undefined;
    }
    const line = lines.get(share) ?? [];
    lines.set(share, line);
    return new Promise((resolve) => void line.push(resolve));
  };
}
