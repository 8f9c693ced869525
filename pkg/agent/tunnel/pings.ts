/** Detects a peer that is gone: a dead connection looks like an idle one. */
import type { Http2Session } from 'node:http2';

const PING_MS = 5_000;
/** With the pings a dead connection ends within 15 seconds. */
const SILENT_MS = 10_000;

export interface Pings {
  /** The 8 bytes of the next ping. */
  readonly payload?: () => Buffer;
  /** Called with the round-trip time of each ping, in ms. */
  readonly measured?: (ms: number) => void;
}

/** Destroys the session when its pings are not answered. */
export function endWhenSilent(session: Http2Session, { payload, measured }: Pings = {}): void {
  let lastReceivedAt = performance.now();
  const ping = (): void => {
    if (session.destroyed) return;
    if (performance.now() - lastReceivedAt > SILENT_MS) return session.destroy();
    const answered = (error: Error | null, ms: number): void => {
      if (error !== null) return;
      lastReceivedAt = performance.now();
      measured?.(ms);
    };
    if (payload === undefined) session.ping(answered);
    else session.ping(payload(), answered);
  };
  const timer = setInterval(ping, PING_MS);
  session.once('remoteSettings', ping);
  session.once('close', () => clearInterval(timer));
}
