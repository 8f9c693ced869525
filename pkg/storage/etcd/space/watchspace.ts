/** Watches how full etcd is. */
import type { EtcdClient } from '../client.js';
import { type EtcdSpace, fullest, statusOf } from './status.js';

const EVERY_MS = 10_000;

/** Tells the space now and every ten seconds, of the members that answer. Returns what ends it. */
export function watchSpace(
  { endpoints }: Pick<EtcdClient, 'endpoints'>,
  tell: (space: EtcdSpace) => void,
): () => void {
  const ask = async (): Promise<void> => {
    const answers = await Promise.allSettled(endpoints.map((endpoint) => statusOf(endpoint)));
    const members = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (members.length > 0) tell(fullest(members));
  };
  const timer = setInterval(() => void ask(), EVERY_MS).unref();
  void ask();
  return () => clearInterval(timer);
}
