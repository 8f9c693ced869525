/** What a member of etcd says of itself: `Maintenance.Status`, with the quota, which the package does not know. */
import type protobuf from 'protobufjs/minimal.js';
import { lazyModule } from '../../../apimachinery/lazymodule.js';
import type { Endpoint } from '../endpoint.js';
import { eachField, endOf, readInteger, type Reading } from '../rpc/messages.js';

const { Reader } = lazyModule<typeof protobuf>('protobufjs/minimal.js')();

/** Ids are decimal. */
export interface MemberStatus {
  /** `'0'` if it is not reported, as are the other ids. */
  readonly cluster: string;
  readonly member: string;
  readonly leader: string;
  /** Of its database file, with free pages. */
  readonly sizeBytes: number;
  /** Of its records and their history. */
  readonly inUseBytes: number;
  /** The size at which it takes no more writes. etcd tells it since 3.6. */
  readonly quotaBytes: number | undefined;
  /** Whether a member has raised the alarm NOSPACE: then none takes writes. */
  readonly full: boolean;
}

/** The space of an etcd, as its fullest member has it. */
export type EtcdSpace = Pick<MemberStatus, 'sizeBytes' | 'inUseBytes' | 'quotaBytes' | 'full'>;

const STATUS_DEADLINE_MS = 3_000;
const NO_MESSAGE = new Uint8Array();

/** Rejects as {@link Endpoint.call}. */
export const statusOf = async (endpoint: Endpoint): Promise<MemberStatus> =>
  readStatus(await endpoint.call('/etcdserverpb.Maintenance/Status', NO_MESSAGE, STATUS_DEADLINE_MS));

/** @param members at least one */
export function fullest(members: readonly MemberStatus[]): EtcdSpace {
  const quotas = members.flatMap(({ quotaBytes }) => quotaBytes ?? []);
  return {
    sizeBytes: Math.max(...members.map(({ sizeBytes }) => sizeBytes)),
    inUseBytes: Math.max(...members.map(({ inUseBytes }) => inUseBytes)),
    quotaBytes: quotas.length === 0 ? undefined : Math.min(...quotas),
    full: members.some(({ full }) => full),
  };
}

/** Fields of `StatusResponse`: the number of the field, and its wire type. */
const HEADER = (1 << 3) | 2;
const SIZE = 3 << 3;
const LEADER = 4 << 3;
const ERRORS = (8 << 3) | 2;
const IN_USE = 9 << 3;
const QUOTA = 12 << 3;

/** Throws for an invalid message. */
function readStatus(message: Buffer): MemberStatus {
  const reader = Reader.create(message);
  let header = { cluster: '0', member: '0' };
  let [leader, sizeBytes, inUseBytes, quotaBytes, full] = ['0', 0, 0, 0, false];
  eachField(reader, reader.len, (field) => {
    if (field === HEADER) header = readIds(reader);
    else if (field === SIZE) sizeBytes = readInteger(reader);
    else if (field === LEADER) leader = String(reader.uint64());
    else if (field === ERRORS) full = reader.string().includes('alarm:NOSPACE') || full;
    else if (field === IN_USE) inUseBytes = readInteger(reader);
    else if (field === QUOTA) quotaBytes = readInteger(reader);
    else return false;
    return true;
  });
  return { ...header, leader, sizeBytes, inUseBytes, quotaBytes: quotaBytes || undefined, full };
}

const CLUSTER_ID = 1 << 3;
const MEMBER_ID = 2 << 3;

function readIds(reader: Reading): Pick<MemberStatus, 'cluster' | 'member'> {
  let [cluster, member] = ['0', '0'];
  eachField(reader, endOf(reader), (field) => {
    if (field === CLUSTER_ID) cluster = String(reader.uint64());
    else if (field === MEMBER_ID) member = String(reader.uint64());
    else return false;
    return true;
  });
  return { cluster, member };
}
