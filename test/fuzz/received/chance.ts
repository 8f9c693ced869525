/** Pseudo-random choices that a seed repeats. */
export interface Chance {
  /** An integer from 0. */
  below(end: number): number;
  /** True once in `times`. */
  once(times: number): boolean;
  of<T>(choices: readonly T[]): T;
  /** Characters that are a byte each. */
  text(characters: string, most: number): string;
}

/** mulberry32. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  const of = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  return {
    below,
    of,
    once: (times) => below(times) === 0,
    text(characters, most) {
      let text = '';
      for (let left = below(most + 1); left > 0; left -= 1)
        text += characters[below(characters.length)] ?? '';
      return text;
    },
  };
}
