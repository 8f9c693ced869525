/** WATCH: what to begin with, then the stream. */
import type { ListOptions } from '../apimachinery/options/list.js';
import { parseQuery } from '../apimachinery/options/query.js';
import { parseResourceVersion } from '../apimachinery/options/resourceversion.js';
import type { Snapshot } from '../cache/interface.js';
import { REACH_TIMEOUT, currentSnapshot } from '../registry/get.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import { inTime } from './deadline.js';
import type { ResourceCall } from './dispatch.js';
import { readListOptions } from './reads.js';
import { representationOf } from './representation.js';
import { commonHeaders } from './send.js';
import { protobufFrames } from './watchprotobuf.js';
import { watchFrames } from './watchframes.js';
import { watchOutlet } from './watchoutlet.js';
import type { WatchPlan } from './watchstream.js';
import { WatchStream } from './watchstream.js';
import type { Watches } from './watches.js';

/** A watch without timeoutSeconds lasts between this and twice this. */
const MIN_DURATION_S = 1800;

/** Answers with an endless stream. Throws StatusError 400, 406, 422 before it begins; later errors are events. */
export async function serveWatch(call: ResourceCall, watches: Watches): Promise<void> {
  const { info, store, exchange } = call;
  const query = parseQuery(info.query);
  const representation = representationOf(call, query, 'watch');
  const { options, selection } = readListOptions(call, query, true);
  const start = await inTime(call, startOf(store, options));
  const { timeoutSeconds = 0 } = options;
  const plan: WatchPlan = {
    store,
    prefix: info.namespace === '' ? '' : `${info.namespace}/`,
    selection,
    bookmarks: options.allowWatchBookmarks,
    resourceVersion: options.resourceVersion,
    ...start,
    seconds: timeoutSeconds > 0 ? timeoutSeconds : MIN_DURATION_S * (1 + Math.random()),
  };
  const { response } = exchange;
  if (response.destroyed) return;
  response.writeHead(200, commonHeaders(call, representation.contentType));
  response.flushHeaders();
  const outlet = watchOutlet(response);
  const framesOf = representation.mediaType === 'protobuf' ? protobufFrames : watchFrames;
  const frames = framesOf(store, representation, outlet.chunked);
  const stream = new WatchStream(plan, frames, outlet, watches);
  response.once('close', () => {
    stream.stop();
  });
  stream.begin();
}

/** From which revision, and with which state first: as `k8s.io/apiserver/pkg/storage/cacher` decides. */
async function startOf(
  store: ResourceStore,
  { resourceVersion, sendInitialEvents }: ListOptions,
): Promise<{ after: number; initial: Snapshot | undefined }> {
  const version = parseResourceVersion(resourceVersion);
  if (version > 0 && sendInitialEvents !== true) return { after: version, initial: undefined };
  if (version > 0) await store.cache.reach(version, REACH_TIMEOUT);
  const fresh = resourceVersion === '' ? await currentSnapshot(store) : undefined;
  const snapshot = fresh ?? store.cache.latest();
  return { after: snapshot.revision, initial: sendInitialEvents === true ? snapshot : undefined };
}
