/** The etcd servers that are supported. */
import type { EtcdClient } from './client.js';
import { unavailable } from './failure.js';
import { hexadecimal } from './storeidentity.js';

/** Older ones answer progress requests before the events that precede them. */
const OLDEST_ETCD = '3.5.13';
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

/** Thrown when endpoints belong to different clusters. */
class EndpointsDiffer extends Error {
  override readonly name = 'EndpointsDiffer';
}

interface EndpointStatus {
  readonly url: string;
  readonly version: string;
  /** `'0'` if it is not reported. */
  readonly cluster: string;
}

const askAll = (client: EtcdClient): Promise<PromiseSettledResult<EndpointStatus>[]> =>
  Promise.allSettled(
    client.endpoints.map(async (endpoint) => {
      const { version, header } = await endpoint.ask(
        (etcd, options) => etcd.maintenance.status(options),
        STATUS_DEADLINE_MS,
      );
      return { url: endpoint.url, version, cluster: header?.cluster_id ?? '0' };
    }),
  );

/**
 * Why endpoints cannot be used together, for people: they belong to different clusters. Undefined: those that
 * answer belong to one.
 */
function whyDivided(answers: readonly PromiseSettledResult<EndpointStatus>[]): string | undefined {
  const answered = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const known = answered.filter(({ cluster }) => cluster !== '0');
  if (new Set(known.map(({ cluster }) => cluster)).size < 2) return undefined;
  const each = known.map(({ url, cluster }) => `${url} is of cluster ${hexadecimal(cluster)}`);
  return `the etcd endpoints are of different clusters, and all must be of one: ${each.join(', ')}`;
}

/** Asks every endpoint again. Returns as `whyDivided`. */
export async function whyEndpointsDiffer(client: EtcdClient): Promise<string | undefined> {
  return client.endpoints.length < 2 ? undefined : whyDivided(await askAll(client));
}

/**
 * Asks every endpoint for its version. Endpoints that do not answer are ignored.
 * @throws Error when one is too old or their clusters differ, StorageError `unavailable` when none answers
 */
export async function checkVersions(client: EtcdClient): Promise<void> {
  const answers = await askAll(client);
  const answered = answers.filter((answer) => answer.status === 'fulfilled');
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (answered.length === 0) throw unavailable(failed?.reason, 'none');
  for (const [index, { etcd }] of client.endpoints.entries()) {
    if (answers[index]?.status === 'rejected') client.leave(etcd);
  }
  const divided = whyDivided(answers);
  if (divided !== undefined) throw new EndpointsDiffer(divided);
  for (const { value } of answered) {
    if (isNewEnough(value.version)) continue;
    throw new Error(
      `etcd at ${value.url} is version ${value.version}, and ${OLDEST_ETCD} or newer is needed: ` +
        'older ones answer progress requests wrongly, so that watches would lose events',
    );
  }
}
