/** Which etcd servers will do. */
import type { EtcdClient } from './client.js';
import { unavailable } from './failure.js';

/** Older ones answer progress requests before the events that came first. */
export const OLDEST_ETCD = '3.5.13';
const STATUS_DEADLINE_MS = 3_000;

/** Whether `version` (`3.6.4`, `3.6.0-rc.1`) is {@link OLDEST_ETCD} or newer. */
export function isNewEnough(version: string): boolean {
  const [, ...parts] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  const wanted = OLDEST_ETCD.split('.').map(Number);
  if (parts.length !== wanted.length) return false;
  for (const [index, want] of wanted.entries()) {
    const have = Number(parts[index]);
    if (have !== want) return have > want;
  }
  return true;
}

/**
 * Asks every endpoint for its version. Those that do not answer may come later.
 * @throws Error when one is too old, StorageError `unavailable` when none answers.
 */
export async function checkVersions(client: EtcdClient): Promise<void> {
  const answers = await Promise.allSettled(
    client.endpoints.map(async ({ url, etcd }) => ({
      url,
      version: (await etcd.maintenance.status({ deadline: Date.now() + STATUS_DEADLINE_MS })).version,
    })),
  );
  const answered = answers.filter((answer) => answer.status === 'fulfilled');
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (answered.length === 0) throw unavailable(failed?.reason, 'none');
  for (const [index, { etcd }] of client.endpoints.entries()) {
    if (answers[index]?.status === 'rejected') client.leave(etcd);
  }
  for (const { value } of answered) {
    if (isNewEnough(value.version)) continue;
    throw new Error(
      `etcd at ${value.url} is version ${value.version}, and ${OLDEST_ETCD} or newer is needed: ` +
        'older ones answer progress requests wrongly, so that watches would lose events',
    );
  }
}
