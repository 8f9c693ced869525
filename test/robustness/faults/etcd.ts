/** What happens to etcd, and between it and the servers. */
import type { CuttingProxy } from '../../fixtures/servers/cuttingproxy.js';
import type { EtcdFixture } from '../../fixtures/stores/etcd.js';
import type { EtcdMembers } from '../../fixtures/stores/etcdmembers.js';
import type { TestNetwork } from '../../fixtures/servers/testnetwork.js';
import type { Fault } from './fault.js';
import { delay, NotDone } from './fault.js';

const MOST_AWAY_MS = 1_500;
const LEAST_PAUSED_MS = 200;
const MOST_PAUSED_MS = 4_000;
/** A leader is chosen within one to two seconds. */
const MOVES = 5;
const BETWEEN_MOVES_MS = 500;

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

/** Another member leads; and, where members reach each other through proxies, one is not reached by the others, whom it still reaches. */
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
  const change: Fault['strike'] = ({ random }) => changeLeader(() => moveLeader(random));
  return [
    { kind: 'change leader', lane: 'etcd', strike: change },
    ...(peers.length > 0 ? [{ kind: 'isolate member', lane: 'etcd', strike: isolate }] : []),
  ];
}

/** Packets are lost between a member and all others, servers among them, or between two members that reach all others. */
export function partitionFaults({ hosts, disconnect, separate, heal }: TestNetwork): Fault[] {
  const fault = (kind: string, cut: (host: number, random: () => number) => string): Fault => ({
    kind,
    lane: 'etcd',
    async strike({ random }) {
      const which = cut(Math.floor(random() * hosts.length), random);
      const ms = LEAST_PAUSED_MS + random() * (MOST_PAUSED_MS - LEAST_PAUSED_MS);
      await delay(ms).finally(heal);
      return `${which} for ${Math.round(ms)} ms`;
    },
  });
  return [
    fault('disconnect member', (host) => {
      disconnect(host);
      return String(host);
    }),
    fault('separate members', (host, random) => {
      const other = (host + 1 + Math.floor(random() * (hosts.length - 1))) % hosts.length;
      separate(host, other);
      return `${host} and ${other}`;
    }),
  ];
}

/** The members may be choosing a leader just now: it is tried again. Rejects with NotDone. */
async function changeLeader(move: () => Promise<string>): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await move();
    } catch (error) {
      if (attempt === MOVES) throw new NotDone(String(error).trim().split('\n').at(-1) ?? '');
      await delay(BETWEEN_MOVES_MS);
    }
  }
}

/** @param proxies between each server and etcd */
export const networkFaults = (proxies: readonly CuttingProxy[]): Fault[] =>
  proxyFaults(proxies, 'network', ['cut connections', 'partition', 'lose answers']);

/** @param proxies between clients and each server */
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
      const ms = LEAST_PAUSED_MS + random() * (MOST_PAUSED_MS - LEAST_PAUSED_MS);
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
      proxy.hold();
      await delay(ms);
      proxy.release();
      return `for ${Math.round(ms)} ms`;
    }),
    // What was asked is done, and nobody is told.
    fault(lose, async (proxy, ms) => {
      proxy.hold('answers');
      await delay(ms / 2);
      proxy.cutAll();
      proxy.release();
      return `of ${Math.round(ms / 2)} ms`;
    }),
  ];
}
