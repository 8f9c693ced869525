/**
 * The record that says with which keys the servers of a store read and write: a key is written with once all of them read it,
 * and may go once none of them writes with it. It holds names of keys, no keys, and is not encrypted: who lacks a key reads why.
 */
import { membersOf } from '../../apimachinery/encoding/members.js';
import type { Storage } from '../interface.js';
import { DAMAGED, StorageError } from '../interface.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

export const SERVERS_KEY = 'encryption/servers';

/** Keys are named by the headers of their values: `k8s:enc:aesgcm:v1:key1:`. */
export interface ServerEntry {
  /** Of its machine, for people. */
  readonly name: string;
  /** Grows while the server is there. */
  readonly beat: number;
  readonly reads: readonly string[];
  /** What it would write with, if all could read that. */
  readonly wants: readonly string[];
  readonly writes: readonly string[];
  /** The format of stores that it knows; absent: of a release from before formats. */
  readonly format?: number;
}

export interface Servers {
  /** What records of the store may need, the oldest first. Every server that is there reads all of these. */
  readonly used: readonly string[];
  /** By their ids. */
  readonly servers: Readonly<Record<string, ServerEntry>>;
}

const NONE: Servers = { used: [], servers: {} };

/** A record that makes no sense, or is damaged, is as none, and can be written again. Rejects with StorageError. */
export async function readServers(
  engine: Pick<Storage, 'get'>,
): Promise<Servers & { readonly revision: number | undefined }> {
  try {
    const { record } = await engine.get(SERVERS_KEY);
    return { ...(record === undefined ? NONE : serversIn(record.value)), revision: record?.revision };
  } catch (error) {
    const failure = error instanceof StorageError ? error.failure : undefined;
    if (failure?.code !== 'undecryptable' || failure.keyName !== DAMAGED) throw error;
    return { ...NONE, revision: failure.revision };
  }
}

export const formatServers = ({ used, servers }: Servers): Buffer =>
  Buffer.from(JSON.stringify({ used, servers }));

/** As {@link readServers} has it. */
export function serversIn(value: Buffer): Servers {
  try {
    const { used, servers } = parseStored<Partial<Servers>>(value);
    const entries = Object.entries(servers ?? {}).filter(([, entry]) => isEntry(entry));
    return { used: isTexts(used) ? used : [], servers: Object.fromEntries(entries) };
  } catch {
    return NONE;
  }
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function isEntry(value: unknown): value is ServerEntry {
  const { name, beat, reads, wants, writes } = membersOf(value);
  return typeof name === 'string' && typeof beat === 'number' && [reads, wants, writes].every(isTexts);
}
