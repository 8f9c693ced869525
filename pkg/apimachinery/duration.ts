/**
 * Formats an age like kubectl (`k8s.io/apimachinery/pkg/util/duration.HumanDuration`): `5s`, `3m20s`, `2d4h`,
 * `3y10d`. `<unknown>` without a valid `from`; `<invalid>` if it is two seconds or more in the future. Numbers are
 * milliseconds since 1970.
 */
export function humanAge(from: string | number | Date | undefined, now: number | Date): string {
  if (from === undefined || from === '') return '<unknown>';
  const elapsed = Number(now) - new Date(from).getTime();
  return Number.isNaN(elapsed) ? '<unknown>' : humanDuration(elapsed);
}

/** Formats milliseconds in at most two units. */
function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return two(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? two(years, 'y', days % 365, 'd') : `${years}y`;
}

const two = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
