import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** A started program. */
export interface Running {
  readonly pid: number;
  /** Resolves with the seconds since the start once `ready` gives true; throws when the program ends before. */
  waitUntil(ready: () => Promise<boolean>): Promise<number>;
  /** SIGTERM, after 10 seconds SIGKILL. */
  stop(): Promise<void>;
  /** SIGKILL, for what needs nothing of its end. */
  kill(): Promise<void>;
  /** Lets this process end before it. */
  unref(): void;
}

const READY_SECONDS = 60;
const STOP_MS = 10_000;

/** Starts a program with its output in `log`. */
export function start(program: string, args: readonly string[], log: string, env = process.env): Running {
  const output = openSync(log, 'a');
  const begun = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', output, output], env });
  closeSync(output);
  const killed = () => child.kill('SIGKILL');
  process.once('exit', killed);
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    async waitUntil(ready) {
      const seconds = () => (performance.now() - begun) / 1000;
      while (!(await ready().catch(() => false))) {
        if (ended() || seconds() > READY_SECONDS) throw new Error(`${program} did not start: ${tail(log)}`);
        await sleep(10);
      }
      return seconds();
    },
    async stop() {
      process.off('exit', killed);
      if (!ended()) await terminate(child);
    },
    async kill() {
      process.off('exit', killed);
      if (ended()) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
    unref() {
      process.off('exit', killed);
      child.unref();
    },
  };
}

async function terminate(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exit;
  clearTimeout(timer);
}

const tail = (log: string): string => readFileSync(log, 'utf8').slice(-600);

/** Below those that systems give to connections: a port that is free now is not taken by one before its server starts. */
const FIRST_PORT = 10_000;
const PORTS = 22_000;

/** Files named by ports: who is given one has it for a while, also while nothing listens there. */
const CLAIMS = join(tmpdir(), 'test-ports');
const CLAIMED_MS = 15 * 60_000;

/** A port of loopback that nothing listens on, and that nobody else is given for a quarter of an hour. */
export async function freePort(): Promise<number> {
  mkdirSync(CLAIMS, { recursive: true });
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if ((await isFree(port)) && claim(join(CLAIMS, String(port)))) return port;
  }
}

function claim(file: string): boolean {
  try {
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch {
    if (Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < CLAIMED_MS) return false;
    writeFileSync(file, '');
    return true;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });

/** A program of `.tools/bin` under the working directory, else of PATH; undefined where there is none. */
export function findTool(name: string): string | undefined {
  const folders = [join(process.cwd(), '.tools/bin'), ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
