/** Frees the space of an etcd whose quota is used up: compacts, defragments, and disarms the alarm NOSPACE. */
import type { IAlarmMember } from 'etcd3';
import { connect, type EtcdClient, type EtcdOptions } from '../client.js';
import type { Call, Endpoint } from '../endpoint.js';
import { classify, unavailable } from '../failure.js';
import { type MemberStatus, statusOf } from './status.js';

/** A large file takes minutes, in which its member answers nothing. */
const LONG_MS = 30 * 60_000;
const SHORT_MS = 5_000;

/** A member before and after it was defragmented. */
export interface FreedMember {
  readonly url: string;
  readonly before: MemberStatus;
  readonly after: MemberStatus;
}

/** What is left to do, by an administrator; `none`: nothing. */
export type SpaceProblem =
  | { readonly code: 'none' }
  /** Records of a member have been damaged: nothing was done. */
  | { readonly code: 'corrupt'; readonly members: readonly string[] }
  /** These members were not defragmented: no endpoint leads to them. */
  | { readonly code: 'members missing'; readonly members: readonly string[] }
  /** The records alone exceed the quota of this member: the alarm stays. */
  | { readonly code: 'too large'; readonly member: FreedMember };

export interface FreedSpace {
  /** The etcd revision that was compacted; undefined: nothing was done. */
  readonly compacted: number | undefined;
  readonly freed: readonly FreedMember[];
  /** Whether the alarm NOSPACE was raised, and is not any more. */
  readonly disarmed: boolean;
  readonly problem: SpaceProblem;
}

interface Reached {
  readonly endpoint: Endpoint;
  readonly status: MemberStatus;
}

/**
 * Removes all history of the whole etcd, also that of other prefixes. No record is changed. Members are defragmented
 * one after the other, the leader last. The alarm is disarmed only if every member has room.
 * @param done called after each member
 * @throws StorageError `unavailable`
 */
export async function freeSpace(
  options: EtcdOptions,
  done: (member: FreedMember) => void = () => undefined,
): Promise<FreedSpace> {
  let client: EtcdClient | undefined;
  try {
    client = connect(options);
    return await free(client, done);
  } catch (error) {
    throw unavailable(error, 'unknown');
  } finally {
    client?.close();
  }
}

async function free(client: EtcdClient, done: (member: FreedMember) => void): Promise<FreedSpace> {
  const reached = await reachedMembers(client);
  const alarms = await raised(reached);
  const corrupt = alarms.filter(({ alarm }) => alarm === 'Corrupt').map(({ memberID }) => hex(memberID));
  if (corrupt.length > 0) return nothing({ code: 'corrupt', members: corrupt });
  const compacted = await compact(client);
  const freed: FreedMember[] = [];
  for (const { endpoint, status } of reached) {
    await endpoint.ask((etcd, options) => etcd.maintenance.defragment(options), LONG_MS);
    const member = { url: endpoint.url, before: status, after: await statusOf(endpoint) };
    freed.push(member);
    done(member);
  }
  const problem = await problemOf(reached, freed);
  const full = alarms.filter(({ alarm }) => alarm === 'Nospace');
  const disarmed = problem.code === 'none' && full.length > 0;
  if (disarmed) for (const alarm of full) await disarm(reached, alarm);
  return { compacted, freed, disarmed, problem };
}

const nothing = (problem: SpaceProblem): FreedSpace => ({
  compacted: undefined,
  freed: [],
  disarmed: false,
  problem,
});

/** Of the first member that answers: its answers have no revision to check. Throws the error of the last. */
async function ask<T>(reached: readonly Reached[], call: Call<T>): Promise<T> {
  let failure: unknown;
  for (const { endpoint } of reached) {
    try {
      return await endpoint.ask(call, SHORT_MS);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function raised(reached: readonly Reached[]): Promise<readonly IAlarmMember[]> {
  const { alarms } = await ask(reached, (etcd, options) =>
    etcd.maintenance.alarm({ action: 'Get' }, options),
  );
  return alarms;
}

/** Each member once, the leader last. Throws the error of an endpoint, if none answers. */
async function reachedMembers({ endpoints }: EtcdClient): Promise<readonly Reached[]> {
  const answers = await Promise.allSettled(
    endpoints.map(async (endpoint) => ({ endpoint, status: await statusOf(endpoint) })),
  );
  const reached = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = answers.find((one) => one.status === 'rejected');
  if (reached.length === 0) throw failed?.reason;
  const each = [...new Map(reached.map((one) => [one.status.member, one])).values()];
  const leads = ({ status }: Reached): number => Number(status.member === status.leader);
  return each.sort((one, other) => leads(one) - leads(other));
}

/** Waits until the pages of all history are free. Returns the revision. */
async function compact(client: EtcdClient): Promise<number> {
  const revision = await client.revisionProbe();
  try {
    await client.once((etcd, options) => etcd.kv.compact({ revision, physical: true }, options), LONG_MS);
  } catch (error) {
    if (classify(error) !== 'compacted') throw error;
  }
  return revision;
}

async function problemOf(reached: readonly Reached[], freed: readonly FreedMember[]): Promise<SpaceProblem> {
  const { members } = await ask(reached, (etcd, options) => etcd.cluster.memberList({}, options));
  const done = new Set(freed.map(({ after }) => after.member));
  const missing = members.filter(({ ID }) => !done.has(ID));
  if (missing.length > 0)
    return { code: 'members missing', members: missing.map(({ name, ID }) => name || hex(ID)) };
  const large = freed.find(({ after: { sizeBytes, quotaBytes = Infinity } }) => sizeBytes >= quotaBytes);
  return large === undefined ? { code: 'none' } : { code: 'too large', member: large };
}

async function disarm(reached: readonly Reached[], { memberID, alarm }: IAlarmMember): Promise<void> {
  await ask(reached, (etcd, options) =>
    etcd.maintenance.alarm({ action: 'Deactivate', memberID, alarm }, options),
  );
}

/** As `etcdctl` shows the id of a member. */
const hex = (id: string): string => BigInt(id).toString(16);
