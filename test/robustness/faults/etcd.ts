/** What happens to etcd, and between it and the servers. */
import type { CuttingProxy } from '../../fixtures/cuttingproxy.js';
import type { EtcdFixture } from '../../fixtures/etcd.js';
import type { EtcdMembers } from '../../fixtures/etcdmembers.js';
import type { Fault } from './fault.js';
import { delay } from './fault.js';

const MOST_AWAY_MS = 1_500;
const LEAST_PAUSED_MS = 200;
const MOST_PAUSED_MS = 4_000;

export type EtcdMember = Pick<EtcdFixture, 'kill' | 'restart' | 'pause' | 'continue'>;

/** SIGKILL and SIGSTOP of one etcd at a time. */
export function etcdFaults(members: readonly EtcdMember[]): Fault[] {
  const kill: Fault['strike'] = async ({ random }) => {
    const number = Math.floor(random() * members.length);
    const etcd = members[number] as EtcdMember;
    await etcd.kill();
    await delay(random() * MOST_AWAY_MS);
    await etcd.restart();
    return String(number);
  };
  const pause: Fault['strike'] = async ({ random }) => {
    const number = Math.floor(random() * members.length);
    const etcd = members[number] as EtcdMember;
    const ms = LEAST_PAUSED_MS + random() * (MOST_PAUSED_MS - LEAST_PAUSED_MS);
    etcd.pause();
    await delay(ms);
    etcd.continue();
    return `${number} for ${Math.round(ms)} ms`;
  };
  return [
    { kind: 'kill etcd', lane: 'etcd', strike: kill },
    { kind: 'pause etcd', lane: 'etcd', strike: pause },
  ];
}

/** Another member leads; and one of them is not reached by the others, whom it still reaches. */
export function memberFaults({ moveLeader, peers }: EtcdMembers): Fault[] {
  const isolate: Fault['strike'] = async ({ random }) => {
    const number = Math.floor(random() * peers.length);
    const ms = LEAST_PAUSED_MS + random() * (MOST_PAUSED_MS - LEAST_PAUSED_MS);
    peers[number]?.hold();
    await delay(ms);
    peers[number]?.cutAll();
    peers[number]?.release();
    return `${number} for ${Math.round(ms)} ms`;
  };
  return [
    { kind: 'change leader', lane: 'etcd', strike: ({ random }) => moveLeader(random) },
    { kind: 'isolate member', lane: 'etcd', strike: isolate },
  ];
}

/** @param proxies between each server and etcd */
export function networkFaults(proxies: readonly CuttingProxy[]): Fault[] {
  const fault = (kind: string, strike: (proxy: CuttingProxy, ms: number) => Promise<string>): Fault => ({
    kind,
    lane: 'network',
    strike: async ({ random }) => {
      const number = Math.floor(random() * proxies.length);
      const ms = LEAST_PAUSED_MS + random() * (MOST_PAUSED_MS - LEAST_PAUSED_MS);
      return `${number} ${await strike(proxies[number] as CuttingProxy, ms)}`;
    },
  });
  return [
    fault('cut connections', (proxy) => {
      const before = proxy.cuts();
      proxy.cutAll();
      return Promise.resolve(`${proxy.cuts() - before} connections`);
    }),
    fault('partition', async (proxy, ms) => {
      proxy.hold();
      await delay(ms);
      proxy.release();
      return `for ${Math.round(ms)} ms`;
    }),
    // What was asked is done, and nobody is told.
    fault('lose answers', async (proxy, ms) => {
      proxy.hold('answers');
      await delay(ms / 2);
      proxy.cutAll();
      proxy.release();
      return `of ${Math.round(ms / 2)} ms`;
    }),
  ];
}
