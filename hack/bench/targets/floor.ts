import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '../client.js';
import { freePort, start } from '../processes.js';
import { ADMIN_TOKEN, type Target, type TargetOptions } from './target.js';

const SERVER = fileURLToPath(new URL('../floorserver.js', import.meta.url));

/** The floor: see `floorserver.ts`. */
export async function startFloor({ folder }: TargetOptions): Promise<Target> {
  const port = await freePort();
  const server = start(process.execPath, [SERVER, String(port)], join(folder, 'server.log'));
  const endpoint = { port, token: ADMIN_TOKEN };
  const client = createClient(endpoint, 1);
  const readySeconds = await server.waitUntil(
    async () => (await client.send({ path: '/readyz' })).code === 200,
  );
  client.close();
  return {
    name: 'floor',
    endpoint,
    pid: server.pid,
    readySeconds,
    eventLoop: false,
    stop: () => server.stop(),
  };
}
