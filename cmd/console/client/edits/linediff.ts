/** The lines of two texts, and which of them are in only one text. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * Above this number of pairs of lines, the texts are not compared: all old lines are removed, all new lines are added.
 */
const MAX_PAIRS = 4_000_000;

/** Compares by the longest common subsequence of lines. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const line = (sign: DiffLine['sign'], text: string): DiffLine => ({ sign, text });
  return [
    ...old.slice(0, start).map((text) => line(' ', text)),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map((text) => line(' ', text)),
  ];
}

function middle(old: readonly string[], now: readonly string[]): DiffLine[] {
  const found: DiffLine[] = [];
  const [gone, come] = [
    (text: string) => found.push({ sign: '-', text }),
    (text: string) => found.push({ sign: '+', text }),
  ];
  if (old.length * now.length > MAX_PAIRS) {
    old.forEach(gone);
    now.forEach(come);
    return found;
  }
  const lengths = commonLengths(old, now);
  const at = (one: number, other: number): number => lengths[one * (now.length + 1) + other] ?? 0;
  let [one, other] = [0, 0];
  while (one < old.length || other < now.length) {
    const [was = '', is = ''] = [old[one], now[other]];
    if (one < old.length && other < now.length && was === is) {
      found.push({ sign: ' ', text: was });
      [one, other] = [one + 1, other + 1];
    } else if (one < old.length && (other === now.length || at(one + 1, other) >= at(one, other + 1))) {
      gone(was);
      one += 1;
    } else {
      come(is);
      other += 1;
    }
  }
  return found;
}

/** The length of the longest common subsequence of the lines that follow, for each pair of positions. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let one = old.length - 1; one >= 0; one -= 1)
    for (let other = now.length - 1; other >= 0; other -= 1) {
      const [below = 0, beside = 0, both = 0] = [
        lengths[(one + 1) * width + other],
        lengths[one * width + other + 1],
        lengths[(one + 1) * width + other + 1],
      ];
      lengths[one * width + other] = old[one] === now[other] ? both + 1 : Math.max(below, beside);
    }
  return lengths;
}
