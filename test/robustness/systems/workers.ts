/** One server with three worker processes, on an embedded store or on etcd. */
import { startServer } from '../../fixtures/servers/server.js';
import { serverFaults } from '../faults/servers.js';
import { workerFaults } from '../faults/workers.js';
import type { Servers, SystemOptions } from './system.js';

const WORKERS = 3;

export async function startWorkers({ dist }: SystemOptions): Promise<Servers> {
  const server = await startServer({ dist, flags: [`--workers=${WORKERS}`] });
  return {
    name: 'workers',
    servers: [server],
    faults: [...serverFaults([server]), ...workerFaults(server)],
    leftOut: [],
    remove: () => server.remove(),
  };
}
