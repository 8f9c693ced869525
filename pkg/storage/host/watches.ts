/** A watch over one kind that is resumed when the host ends it. */
import { membersOf } from '../../apimachinery/encoding/members.js';
import type { KubeObject } from '../../../api/resource.js';
import type { HostEvent } from '../../hostclient/interface.js';
import { StorageError, type StorageWatch, type WatchBatch, type WatchOptions } from '../interface.js';
import type { KindClient } from './kindclient.js';
import { forgotten, hostRevision } from './lists.js';
import { notReached, refusal } from './refusals.js';
import { answeredObject, recordOf, revisionOf } from './values.js';

/** The host ends a watch after this time, up to twice, at random, so that its servers share the watches. */
const WATCH_SECONDS = 300;

/** Covers the whole kind. Starts when it is first read. Errors: `compacted`, `unavailable`. */
export function watchKind(kind: KindClient, { after, standing }: WatchOptions): StorageWatch {
  const stop = new AbortController();
  return {
    cancel: () => stop.abort(),
    [Symbol.asyncIterator]: () => batches(kind, after, stop.signal, once(standing)),
  };
}

function once(call: (() => void) | undefined): () => void {
  let left = call;
  return () => {
    const due = left;
    left = undefined;
    due?.();
  };
}

async function* batches(
  kind: KindClient,
  after: number | undefined,
  signal: AbortSignal,
  standing: () => void,
): AsyncGenerator<WatchBatch> {
  let revision = after ?? (await hostRevision(kind));
  while (!signal.aborted) {
    try {
      for await (const event of kind.watch(pathOf(kind, revision), signal, standing)) {
        const batch = batchOf(kind, event, revision);
        revision = batch.revision;
        yield batch;
      }
    } catch (error) {
      throw notReached(error);
    }
  }
}

function pathOf({ paths }: KindClient, revision: number): string {
  const query = {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: String(revision),
    timeoutSeconds: String(Math.round(WATCH_SECONDS * (1 + Math.random()))),
  };
  return `${paths.all}?${new URLSearchParams(query).toString()}`;
}

function batchOf({ definition, paths }: KindClient, event: HostEvent, revision: number): WatchBatch {
  const object = (): KubeObject => answeredObject(event.object, 'none');
  switch (event.type) {
    case 'BOOKMARK':
      return { events: [], revision: Math.max(revision, revisionOf(object())) };
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const { key, value, revision: at } = recordOf(definition, paths, object());
      const left = event.type === 'DELETED' ? undefined : value;
      return { events: [{ key, value: left, revision: at, commitEnd: true }], revision: at };
    }
    case 'ERROR': {
      const code = Number(membersOf(event.object).code ?? 0);
      if (code === 410) throw forgotten(revision);
      const answer = { status: code, body: event.object, retryAfterMs: undefined };
      const { message } = refusal({ verb: 'watch', definition, path: '' }, answer);
      throw new StorageError({ code: 'unavailable', reason: message, outcome: 'none' });
    }
  }
}
