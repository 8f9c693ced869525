/** The seconds of a duration in the format of Go: `90s`, `2m`, `1m30s`. Throws Error for an invalid one. */
export function secondsOf(duration: string): number {
  const parts = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration);
  const [hours, minutes, seconds] = (parts ?? []).slice(1).map((part) => Number(part ?? 0));
  const sum = (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0);
  if (sum === 0) throw new Error(`DURATION=${duration} is no duration: write it as 90s or 2m`);
  return sum;
}
