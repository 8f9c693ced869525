import { usage } from './failure.js';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `1d12h`. */
export function durationText(seconds: number): string {
  let rest = seconds;
  const parts = Object.entries(SECONDS)
    .toReversed()
    .map(([unit, length]) => {
      const count = Math.floor(rest / length);
      rest -= count * length;
      return count === 0 ? '' : `${count}${unit}`;
    });
  return parts.join('') || '0s';
}

/** `90`, `90s`, `15m`, `24h`, `1h30m`, `7d`, in seconds, more than none. Throws Failure, usage. */
export function secondsOf(flag: string, text: string): number {
  if (!/^(\d+|(\d+[smhd])+)$/.test(text)) throw usage(`${flag} ${text}: write it as 90s, 15m, 24h or 7d`);
  const seconds = [...text.matchAll(/(\d+)([smhd]?)/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (SECONDS[unit] ?? 1),
    0,
  );
  if (seconds === 0) throw usage(`${flag} ${text}: it would end at once`);
  return seconds;
}
