/** Faults of one of the worker processes of a server. */
import type { ServerFixture } from '../../fixtures/servers/server.js';
import { workersOf } from '../../fixtures/servers/workerprocesses.js';
import { delay, NotDone, type Fault, type Strike } from './fault.js';

const LEAST_PAUSED_MS = 200;
const MAX_PAUSED_MS = 3_000;

/** SIGKILL and SIGSTOP; another worker replaces one that died. */
export function workerFaults(server: ServerFixture): Fault[] {
  const chosen = ({ random }: Strike): number => {
    const pids = workersOf(server.pid());
    const pid = pids[Math.floor(random() * pids.length)];
    if (pid === undefined) throw new NotDone('no worker runs');
    return pid;
  };
  return [
    {
      kind: 'kill worker',
      lane: 'servers',
      strike: (strike) => {
        process.kill(chosen(strike), 'SIGKILL');
        return Promise.resolve('');
      },
    },
    {
      kind: 'pause worker',
      lane: 'servers',
      strike: async (strike) => {
        const ms = LEAST_PAUSED_MS + strike.random() * (MAX_PAUSED_MS - LEAST_PAUSED_MS);
        const pid = chosen(strike);
        process.kill(pid, 'SIGSTOP');
        await delay(ms);
        process.kill(pid, 'SIGCONT');
        return `for ${Math.round(ms)} ms`;
      },
    },
  ];
}
