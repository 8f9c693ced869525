/** Keeps a tunnel to each server of the management API, so that any of them can forward requests. */
import type { ServerHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dialled } from './dial.js';
import type { TunnelServer } from './serve.js';
import { messageOf } from '../../apimachinery/caught.js';

export interface TunnelSettings {
  /** `known`: the servers with a tunnel. */
  readonly dial: (known: readonly string[], signal: AbortSignal) => Promise<Dialled>;
  readonly server: TunnelServer;
  /** Called with the reason when a tunnel cannot be opened, and for each that is opened or has ended. */
  readonly failed: (why: string) => void;
  readonly changed: (open: number) => void;
  /** Between 0 and 1. */
  readonly random?: () => number;
  readonly pauses?: Pauses;
}

/** In ms. */
interface Pauses {
  /** After a failure; doubled after each further one, up to `longest`. */
  readonly first: number;
  readonly longest: number;
  /** How often to check for further servers. */
  readonly recheck: number;
}

export interface Tunnels {
  readonly open: number;
  /** Tells the servers to send no more requests, waits for those in flight, and closes. */
  stop(timeoutMs: number): Promise<void>;
}

const PAUSES: Pauses = { first: 250, longest: 10_000, recheck: 30_000 };

/** Begins at once. Never rejects. */
export function keepTunnels(settings: TunnelSettings): Tunnels {
  const { dial, server, failed, changed, random = Math.random, pauses = PAUSES } = settings;
  /** By server. */
  const open = new Map<string, ServerHttp2Session>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let wake = new AbortController();
  let wanted = 1;

  function take({ connection, server: id, servers }: Dialled): boolean {
    wanted = servers;
    if (connection === undefined) return false;
    open.get(id)?.close();
    const session = server.serve(connection);
    open.set(id, session);
    changed(open.size);
    const gone = (): void => {
      if (open.get(id) !== session) return;
      open.delete(id);
      changed(open.size);
      wake.abort();
    };
    session.once('close', gone);
    // It accepts no more streams: another tunnel is opened while these end.
    session.once('goaway', gone);
    return true;
  }

  /** Returns whether a tunnel was added. */
  async function attempt(): Promise<boolean> {
    try {
      return take(await dial([...open.keys()], signal));
    } catch (error) {
      if (!signal.aborted) failed(messageOf(error));
      return false;
    }
  }

  async function run(): Promise<void> {
    let pause = pauses.first;
    while (!signal.aborted) {
      const more = await attempt();
      const settled = open.size >= wanted;
      pause = more || settled ? pauses.first : Math.min(pause * 2, pauses.longest);
      // Randomized, so that agents do not reconnect to restarted servers together.
      const ms = (settled ? pauses.recheck : pause) * (0.5 + random());
      const lost = (wake = new AbortController()).signal;
      await sleep(ms, undefined, { signal: AbortSignal.any([signal, lost]) }).catch(() => undefined);
      if (!lost.aborted) continue;
      pause = pauses.first;
      await sleep(pause * random(), undefined, { signal }).catch(() => undefined);
    }
  }
  const running = run();
  return {
    get open() {
      return open.size;
    },
    async stop(timeoutMs) {
      stopping.abort();
      await running;
      await closeAll([...open.values()], timeoutMs);
    },
  };
}

async function closeAll(sessions: readonly ServerHttp2Session[], timeoutMs: number): Promise<void> {
  const cut = setTimeout(() => sessions.forEach((session) => session.destroy()), timeoutMs);
  await Promise.all(sessions.map(closed));
  clearTimeout(cut);
}

function closed(session: ServerHttp2Session): Promise<void> {
  return new Promise((done) => {
    if (session.destroyed) return done();
    session.once('close', done);
    session.close();
  });
}
