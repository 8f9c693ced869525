/** Objects of the management API, by list and watch while the agent runs. */
import { ApiError } from '../../../api/client/apierror.js';
import { Reflector } from '../../../api/client/reflector.js';
import { messageOf } from '../../apimachinery/caught.js';
import { isObject, membersOf } from '../../apimachinery/encoding/members.js';
import { isKubeObject, type KubeObject } from '../../../api/resource.js';
import type { HostClient } from '../../hostclient/interface.js';

/** Receives the objects. */
export interface ObjectSink {
  /** Called with all objects. */
  replace(objects: readonly KubeObject[]): void;
  put(object: KubeObject): void;
  remove(object: KubeObject): void;
}

export interface FollowOptions {
  readonly client: Pick<HostClient, 'send' | 'watch'>;
  /** The path of the collection, with selectors: `/apis/…/users`. */
  readonly path: string;
  readonly sink: ObjectSink;
  readonly signal: AbortSignal;
  /** Called when the objects are current, and when that is uncertain again. */
  readonly connected: (now: boolean) => void;
  /** Called with the reason of a failure, without credentials. */
  readonly failed: (why: string) => void;
}

/** The objects of a page. */
const PAGE = 500;
/** At most twice as long: revocations must not become old. */
const LONGEST_PAUSE_MS = 2_500;

/** Resolves when `signal` is aborted. Never rejects. */
export async function follow(options: FollowOptions): Promise<void> {
  const { client, path, sink, signal, connected, failed } = options;
  const reflector = new Reflector({
    signal,
    backoff: { most: LONGEST_PAUSE_MS },
    list: () => list(options),
    async watch(resourceVersion, take) {
      const query = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion };
      try {
        for await (const { type, object } of client.watch(joined(path, query), signal, () => connected(true)))
          await take(type, object);
      } finally {
        connected(false);
      }
    },
    changed(type, object) {
      if (!isKubeObject(object)) throw new Error('an event of the watch has no object');
      if (type === 'DELETED') sink.remove(object);
      else sink.put(object);
    },
    failed: (error) =>
      failed(`${path}: ${error instanceof ApiError ? `${error.code} ` : ''}${messageOf(error)}`),
  });
  await reflector.run();
}

interface List {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubeObject[];
}

const joined = (path: string, parameters: Readonly<Record<string, string>>): string =>
  `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(parameters).toString()}`;

/** Returns the resourceVersion to watch from. */
async function list({ client, path, sink, signal }: FollowOptions): Promise<string> {
  const objects: KubeObject[] = [];
  let next = '';
  for (;;) {
    const parameters = { limit: String(PAGE), ...(next !== '' && { continue: next }) };
    const answer = await client.send({ method: 'GET', path: joined(path, parameters), signal });
    if (answer.status !== 200) throw new ApiError(answer.status, membersOf(answer.body));
    if (!isObject(answer.body)) throw new Error('the answer is no list of objects');
    const { metadata = {}, items = [] }: List = answer.body;
    objects.push(...items);
    next = metadata.continue ?? '';
    if (next !== '') continue;
    sink.replace(objects);
    return metadata.resourceVersion ?? '';
  }
}
