/** So many requests of a share begin in one turn of the event loop: a burst of one user's is no wait for the others. */
import { onEndOfTurn } from '../../ticks.js';

/** Undefined where the request may begin now. */
export type Pace = (share: string) => Promise<void> | undefined;

export function pace(mostATurn: number): Pace {
  /** Begun in this turn, by share. */
  const begun = new Map<string, number>();
  const lines = new Map<string, (() => void)[]>();
  let asked = false;

  const turn = {
    atEndOfTurn(): void {
      asked = false;
      begun.clear();
      for (const [share, line] of lines) {
        const now = line.splice(0, mostATurn);
        if (line.length === 0) lines.delete(share);
        begun.set(share, now.length);
        for (const begin of now) begin();
      }
      if (begun.size > 0) ask();
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
    if (count < mostATurn && !lines.has(share)) {
      begun.set(share, count + 1);
      return undefined;
    }
    const line = lines.get(share) ?? [];
    lines.set(share, line);
    return new Promise((resolve) => void line.push(resolve));
  };
}
