/** Pings of agents contain the time of their machine, so that the management API can detect a wrong clock. */

/** The last time that a Date can have. */
const LAST_MS = 8.64e15;

/** The 8 bytes of a ping. `now`: in ms since 1970. */
export function clockPing(now: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeBigUInt64BE(BigInt(Math.min(Math.max(Math.trunc(now), 0), LAST_MS)));
  return payload;
}

/** In ms since 1970; undefined: the ping contains no time. */
export function timeIn(payload: Uint8Array): number | undefined {
  const bytes = Buffer.from(payload);
  if (bytes.length !== 8) return undefined;
  const time = Number(bytes.readBigUInt64BE());
  return time <= LAST_MS ? time : undefined;
}
