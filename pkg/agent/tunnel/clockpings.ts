/** Pings of agents contain the time of their machine, so that the management API can detect a wrong clock. */

/** Pings of agents of earlier releases contain arbitrary bytes. */
const MARK = 0xc10c;
/** In the year 2248, so the first bits are zero. */
const LAST_MS = 2 ** 43;

/** The 8 bytes of a ping. `now`: in ms since 1970. */
export function clockPing(now: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeUInt16BE(MARK);
  payload.writeUIntBE(Math.min(Math.max(Math.trunc(now), 0), LAST_MS - 1), 2, 6);
  return payload;
}

/** In ms since 1970; undefined: the ping contains no time. */
export function timeIn(payload: Uint8Array): number | undefined {
  const bytes = Buffer.from(payload);
  if (bytes.length !== 8 || bytes.readUInt16BE() !== MARK) return undefined;
  const time = bytes.readUIntBE(2, 6);
  return time < LAST_MS ? time : undefined;
}
