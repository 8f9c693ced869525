/** Faults of connections through proxies. */
import type { CuttingProxy } from '../../fixtures/servers/cuttingproxy.js';
import { delay, type Fault } from './fault.js';

const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 4_000;

/**
 * @param proxies between each server and etcd
 */
export const networkFaults = (proxies: readonly CuttingProxy[]): Fault[] =>
  proxyFaults(proxies, 'network', ['cut connections', 'partition', 'lose answers']);

/**
 * @param proxies between clients and each server
 */
export const clientFaults = (proxies: readonly CuttingProxy[]): Fault[] =>
  proxyFaults(proxies, 'clients', ['cut clients', 'part clients', "lose clients' answers"]);

function proxyFaults(
  proxies: readonly CuttingProxy[],
  lane: string,
  [cut, part, lose]: readonly [string, string, string],
): Fault[] {
  const fault = (kind: string, strike: (proxy: CuttingProxy, ms: number) => Promise<string>): Fault => ({
    kind,
    lane,
    strike: async ({ random }) => {
      const number = Math.floor(random() * proxies.length);
      const ms = MIN_PAUSE_MS + random() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
      return `${number} ${await strike(proxies[number] as CuttingProxy, ms)}`;
    },
  });
  return [
    fault(cut, (proxy) => {
      const before = proxy.cuts();
      proxy.cutAll();
      return Promise.resolve(`${proxy.cuts() - before} connections`);
    }),
    fault(part, async (proxy, ms) => {
      proxy.pause();
      await delay(ms);
      proxy.resume();
      return `for ${Math.round(ms)} ms`;
    }),
    // Requests are executed, but their responses are lost.
    fault(lose, async (proxy, ms) => {
      proxy.pause('answers');
      await delay(ms / 2);
      proxy.cutAll();
      proxy.resume();
      return `of ${Math.round(ms / 2)} ms`;
    }),
  ];
}
