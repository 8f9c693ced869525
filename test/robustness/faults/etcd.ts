/** Faults of the members of etcd. */
import type { EtcdFixture } from '../../fixtures/stores/etcd.js';
import type { EtcdMembers } from '../../fixtures/stores/etcdmembers.js';
import { delay, NotDone, type Fault } from './fault.js';

const MAX_DOWN_MS = 1_500;
const LEAST_PAUSED_MS = 200;
const MAX_PAUSED_MS = 4_000;
/** The maximum number of attempts to change the leader. An election takes one to two seconds. */
const MOVES = 5;
const BETWEEN_MOVES_MS = 500;

export type EtcdMember = Pick<EtcdFixture, 'kill' | 'restart' | 'pause' | 'continue'>;

/** SIGKILL and SIGSTOP of one etcd member at a time. */
export function etcdFaults(members: readonly EtcdMember[]): Fault[] {
  const kill: Fault['strike'] = async ({ random }) => {
    const number = Math.floor(random() * members.length);
    const etcd = members[number] as EtcdMember;
    await etcd.kill();
    await delay(random() * MAX_DOWN_MS);
    await etcd.restart();
    return String(number);
  };
  const pause: Fault['strike'] = async ({ random }) => {
    const number = Math.floor(random() * members.length);
    const etcd = members[number] as EtcdMember;
    const ms = LEAST_PAUSED_MS + random() * (MAX_PAUSED_MS - LEAST_PAUSED_MS);
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

/**
 * A change of the leader; and, if members are connected through proxies, a member that the others cannot reach, while
 * it can reach them.
 */
export function memberFaults({ moveLeader, peers }: EtcdMembers): Fault[] {
  const isolate: Fault['strike'] = async ({ random }) => {
    const number = Math.floor(random() * peers.length);
    const ms = LEAST_PAUSED_MS + random() * (MAX_PAUSED_MS - LEAST_PAUSED_MS);
    peers[number]?.pause();
    await delay(ms);
    peers[number]?.cutAll();
    peers[number]?.resume();
    return `${number} for ${Math.round(ms)} ms`;
  };
  const change: Fault['strike'] = ({ random }) => changeLeader(() => moveLeader(random));
  return [
    { kind: 'change leader', lane: 'etcd', strike: change },
    ...(peers.length > 0 ? [{ kind: 'isolate member', lane: 'etcd', strike: isolate }] : []),
  ];
}

/** Retries during an election. Rejects with NotDone. */
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
