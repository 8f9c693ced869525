/** Determines outcomes of commits from the state of etcd when etcd did not report its comparisons. */
import type { StoredRecord } from '../../interface.js';
import type { EtcdClient } from '../client.js';
import { firstFailing } from './expectation.js';
import type { PlannedCommit, CommitOutcome } from './batch.js';
import { recordOf } from '../record.js';

const READ_DEADLINE_MS = 2_000;
/** Less than etcd's limit of operations. */
const READS_PER_TRANSACTION = 100;

/** The outcomes of a batch applied in `etcdRevision`, from the state before it, which etcd compared. */
export async function outcomesBefore(
  client: EtcdClient,
  commits: readonly PlannedCommit[],
  etcdRevision: number,
): Promise<CommitOutcome[]> {
  const outcomes: CommitOutcome[] = [];
  for (const { requirements } of commits) {
    const found = await readAll(client, requirements, etcdRevision - 1);
    outcomes.push(firstFailing(requirements, found) ?? 'done');
  }
  return outcomes;
}

/** Reads keys at one etcd revision; absent: the newest. */
export async function readAll(
  client: EtcdClient,
  keys: readonly { readonly name: string; readonly key: Buffer }[],
  etcdRevision?: number,
): Promise<(StoredRecord | undefined)[]> {
  const found: (StoredRecord | undefined)[] = [];
  for (let from = 0; from < keys.length; from += READS_PER_TRANSACTION) {
    const part = keys.slice(from, from + READS_PER_TRANSACTION);
    const success = part.map(({ key }) => ({ request_range: { key, revision: etcdRevision } }));
    const answer = await client.retried(
      (etcd, options) => etcd.kv.txn({ success }, options),
      READ_DEADLINE_MS,
    );
    for (const [index, { name }] of part.entries()) {
      const kv = answer.responses[index]?.response_range.kvs[0];
      found.push(kv === undefined ? undefined : recordOf(name, kv));
    }
  }
  return found;
}
