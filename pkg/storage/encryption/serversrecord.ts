/**
 * The record with the keys that the servers of a store use: a key encrypts only when all servers can decrypt with it,
 * and can be removed when no server encrypts with it. The record contains names of keys, and no keys. It is not
 * encrypted, so that a server without a key can read why it is refused.
 */
import { membersOf } from '../../apimachinery/encoding/members.js';
import { DAMAGED, StorageError, type Storage } from '../interface.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

export const SERVERS_KEY = 'encryption/servers';

/** Keys are identified by the prefixes of their values: `k8s:enc:aesgcm:v1:key1:`. */
export interface ServerEntry {
  /** The name of the machine, for messages. */
  readonly name: string;
  /** A counter that increases while the server runs. */
  readonly beat: number;
  readonly reads: readonly string[];
  /** The keys that it would encrypt with, if all servers could decrypt with them. */
  readonly wants: readonly string[];
  readonly writes: readonly string[];
  /** The newest format of stores that it supports. */
  readonly format: number;
}

export interface Servers {
  /**
   * The keys that records of the store may need, the oldest first. Every running server can decrypt with all of these.
   */
  readonly used: readonly string[];
  /** By the ids of the servers. */
  readonly servers: Readonly<Record<string, ServerEntry>>;
}

const NONE: Servers = { used: [], servers: {} };

/** A damaged or invalid record counts as absent, and can be written again. Rejects with StorageError. */
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

/** Parses the value of the record, as {@link readServers} returns it. */
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
  const { name, beat, reads, wants, writes, format } = membersOf(value);
  const isCounted = [beat, format].every((one) => typeof one === 'number');
  return typeof name === 'string' && isCounted && [reads, wants, writes].every(isTexts);
}
