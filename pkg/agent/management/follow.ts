/** Objects of the management API, by list and watch while the agent runs. */
import { isObject, membersOf, textIn } from '../../apimachinery/encoding/members.js';
import { setTimeout as sleep } from 'node:timers/promises';
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
const PAUSE_MS = { first: 250, most: 5_000 } as const;
/** A watch that lasts this long resets the back-off. */
const SETTLED_MS = 10_000;

/** Resolves when `signal` is aborted. Never rejects. */
export async function follow(options: FollowOptions): Promise<void> {
  const { signal, connected, failed } = options;
  const resume: ResumePoint = { version: undefined };
  let pause: number = PAUSE_MS.first;
  while (!signal.aborted) {
    const began = performance.now();
    try {
      resume.version ??= await list(options);
      await watch(options, resume, resume.version);
    } catch (error) {
      if (!signal.aborted) failed(error instanceof Error ? error.message : String(error));
    }
    connected(false);
    if (performance.now() - began > SETTLED_MS) pause = PAUSE_MS.first;
    // Randomized, so that agents which lost the same server do not reconnect together.
    await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    pause = Math.min(pause * 2, PAUSE_MS.most);
  }
}

/**
 * The resourceVersion to resume from; undefined: list again. It never goes back, as that could restore a
 * revoked right.
 */
interface ResumePoint {
  version: string | undefined;
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
    if (answer.status !== 200) throw new Error(`${path}: ${refusalOf(answer.status, answer.body)}`);
    if (!isObject(answer.body)) throw new Error(`${path}: the answer is no list of objects`);
    const { metadata = {}, items = [] }: List = answer.body;
    objects.push(...items);
    next = metadata.continue ?? '';
    if (next !== '') continue;
    sink.replace(objects);
    return metadata.resourceVersion ?? '';
  }
}

async function watch(
  { client, path, sink, signal, connected }: FollowOptions,
  resume: ResumePoint,
  from: string,
): Promise<void> {
  const parameters = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: from };
  for await (const { type, object } of client.watch(joined(path, parameters), signal, () =>
    connected(true),
  )) {
    if (type === 'ERROR') {
      resume.version = undefined;
      const { code } = membersOf(object);
      if (code === 410) return;
      throw new Error(`${path}: ${refusalOf(Number(code ?? 0), object)}`);
    }
    if (!isKubeObject(object)) throw new Error(`${path}: an event of the watch has no object`);
    if (type === 'DELETED') sink.remove(object);
    else if (type !== 'BOOKMARK') sink.put(object);
    resume.version = object.metadata.resourceVersion ?? resume.version;
  }
}

const refusalOf = (status: number, body: unknown): string =>
  `${status} ${textIn(body, 'message') ?? ''}`.trim();
