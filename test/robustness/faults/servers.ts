/** Faults of the process of a server. */
import type { ServerFixture } from '../../fixtures/servers/server.js';
import { delay, type Fault, type Strike } from './fault.js';

const MAX_DOWN_MS = 600;
const LEAST_PAUSED_MS = 200;
const MAX_PAUSED_MS = 3_000;
/** SIGTERM stops a server within 10 s; a busy machine may add to it. */
const MAX_TERM_MS = 20_000;
const RESTART_TIMEOUT_MS = 60_000;
/** The errors with which a server may exit while its store is unavailable. A supervisor restarts it. */
const STORE_AWAY = /the store (cannot be opened|fails)/;

/** Expected error lines after a fault: a worker was killed, or its replacement is restarted repeatedly. */
const OF_A_FAULT =
  /"reason":"(a worker ended with SIGKILL|the store (cannot be opened|fails) [^"]*","msg":"a worker cannot start)"/;

type ServerFault = (server: ServerFixture, strike: Strike) => Promise<string>;

/** SIGKILL, SIGTERM and SIGSTOP of one server at a time. */
export function serverFaults(servers: readonly ServerFixture[]): Fault[] {
  const kinds: readonly (readonly [string, ServerFault])[] = [
    ['kill', kill],
    ['term', term],
    ['pause', pause],
  ];
  return kinds.map(([kind, act]) => ({
    kind: `${kind} server`,
    lane: 'servers',
    strike: async (strike) => {
      const number = Math.floor(strike.random() * servers.length);
      return `${number} ${await act(servers[number] as ServerFixture, strike)}`;
    },
  }));
}

const kill: ServerFault = async (server, strike) => {
  await server.kill();
  expectNoErrors(server, strike);
  await delay(strike.random() * MAX_DOWN_MS);
  return restarted(server, strike);
};

const term: ServerFault = async (server, strike) => {
  const began = performance.now();
  await server.stop().catch((error: unknown) => strike.disorder(String(error)));
  const took = performance.now() - began;
  if (took > MAX_TERM_MS) strike.disorder(`SIGTERM took ${Math.round(took)} ms`);
  expectNoErrors(server, strike);
  await delay(strike.random() * MAX_DOWN_MS);
  return restarted(server, strike);
};

const pause: ServerFault = async (server, { random }) => {
  const ms = LEAST_PAUSED_MS + random() * (MAX_PAUSED_MS - LEAST_PAUSED_MS);
  const pid = server.pid() as number;
  process.kill(pid, 'SIGSTOP');
  await delay(ms);
  process.kill(pid, 'SIGCONT');
  return `for ${Math.round(ms)} ms`;
};

/** Restarts the server until it runs, as a supervisor does. */
export async function restarted(server: ServerFixture, strike: Strike): Promise<string> {
  const until = performance.now() + RESTART_TIMEOUT_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      await server.restart();
      return tries === 1 ? '' : `(${tries} starts)`;
    } catch (error) {
      const text = String(error);
      if (!STORE_AWAY.test(text) || performance.now() > until) {
        strike.disorder(text);
        throw error;
      }
    }
  }
}

export function expectNoErrors(server: ServerFixture, { disorder }: Pick<Strike, 'disorder'>): void {
  const errors = server.log().match(/^.*"level":"(error|fatal)".*$/gm) ?? [];
  const line = errors.find((one) => !OF_A_FAULT.test(one));
  if (line !== undefined) disorder(`a server said: ${line.slice(0, 500)}`);
}
