/** Connects clients to each server through connections that can be cut, like a network between them. */
import { startCuttingProxy } from '../../fixtures/servers/cuttingproxy.js';
import { clientFaults } from '../faults/connections.js';
import type { StartServers, StartSystem } from './system.js';

export const behindNetwork =
  (start: StartServers): StartSystem =>
  async (options) => {
    const system = await start(options);
    const proxies = await Promise.all(
      system.servers.map(({ port }) => startCuttingProxy(port, () => Infinity)),
    );
    return {
      ...system,
      urls: proxies.map(({ port }) => `https://127.0.0.1:${port}`),
      faults: [...system.faults, ...clientFaults(proxies)],
      remove: () => system.remove().finally(() => Promise.all(proxies.map((proxy) => proxy.close()))),
    };
  };
