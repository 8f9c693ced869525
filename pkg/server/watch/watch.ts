/** WATCH: the initial state, then the stream. */
import { futureRevision, type StatusError } from '../../apimachinery/errors.js';
import type { ListOptions } from '../../apimachinery/options/list.js';
import { parseQuery } from '../../apimachinery/options/query.js';
import { boundReceived } from '../../apimachinery/receivedbytes.js';
import { parseResourceVersion } from '../../apimachinery/options/resourceversion.js';
import { CacheUnavailable, type Snapshot } from '../../cache/interface.js';
import type { ReadRevision } from '../../cache/watch/consistent.js';
import { REACH_TIMEOUT, currentSnapshot } from '../../registry/generic/get.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { inTime } from '../filters/deadline.js';
import type { StoredKindRequest } from '../requestcontext.js';
import { readListOptions } from '../handlers/read.js';
import { isWithoutValues, representationOf, type Representation } from '../responsewriters/representation.js';
import { commonHeaders } from '../responsewriters/send.js';
import { warnOfUndecryptable } from '../handlers/undecryptable.js';
import { watchEncoder, frameNames, deselectedEntry, type WatchEncoder } from './watchencoder.js';
import { watchWriter, wireForm, type WatchWriter } from './watchwriter.js';
import type { WatchPlan } from './watchplan.js';
import { WatchStream } from './watchstream.js';
import type { WatchRegistry } from './watchregistry.js';
import { acceptWebSocket } from './websocket.js';
import { encodeDocument } from '../../apimachinery/encoding/protobuf/documents.js';
import { seal } from '../../apimachinery/encoding/protobuf/envelope.js';
import { watchEventFrame } from '../../apimachinery/encoding/protobuf/watchevent.js';
import { encodedEntry, protobufForm } from '../responsewriters/protobufforms.js';

/** The frames of a watch in protobuf. A frame is made once for each event and shared by all its watches. */
function protobufFrames(
  store: ResourceStore,
  representation: Pick<Representation, 'metadata' | 'protobuf'>,
  chunked: boolean,
): WatchEncoder {
  const form = protobufForm(store, representation);
  const { kind, apiVersion } = form.object;
  const names = frameNames(`protobuf:${kind}:${apiVersion}`, chunked ? 'chunk' : 'frame');
  const frame = (type: string, encoded: Buffer): Buffer =>
    wireForm(watchEventFrame(type, seal(form.object, encoded)), chunked);
  return {
    ofEvent(event, type) {
      const leaves = type === 'DELETED' && !event.deleted;
      return event.frame(names[leaves ? 'LEFT' : type], () =>
        frame(
          type,
          leaves ? form.encode(deselectedEntry(store, event).object()) : encodedEntry(form, event.entry),
        ),
      );
    },
    ofInitial: (entry) => frame('ADDED', encodedEntry(form, entry)),
    bookmark(revision, annotations) {
      const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) };
      return frame('BOOKMARK', form.encode({ metadata }));
    },
    error: (object) => wireForm(watchEventFrame('ERROR', encodeDocument(object)), chunked),
  };
}

/** Of a body, which a watch has no use for. */
const MAX_RECEIVED_BYTES = 256 * 1024;
/** A watch without timeoutSeconds lasts between this and twice this, and none longer: as kube-apiserver's default. */
const MIN_DURATION_S = 1800;
const MAX_DURATION_S = 3600;
/** Answers with an endless stream. Throws StatusError 400, 406, 422 before it begins; later errors are events. */
export async function serveWatch(call: StoredKindRequest, watches: WatchRegistry): Promise<void> {
  const { info, store, exchange } = call;
  const query = parseQuery(info.query);
  const representation = representationOf(call, query, 'watch');
  if (isWithoutValues(representation)) call.audit?.withoutValues();
  const { options, selection } = readListOptions(call, query, true);
  const start = await inTime(call, startOf(store, options, call.revision));
  const plan: WatchPlan = {
    store,
    namespace: info.namespace,
    prefix: info.namespace === '' ? '' : `${info.namespace}/`,
    selection,
    bookmarks: options.allowWatchBookmarks,
    resourceVersion: options.resourceVersion,
    after: start.after,
    view: call.view,
    open: call.open,
    seconds: durationOf(options),
  };
  if (exchange.end.over) return;
  const binary = representation.mediaType === 'protobuf';
  warnOfUndecryptable(call);
  const writer = await openWriter(call, representation.contentType, binary);
  if (writer === undefined || exchange.end.over) return;
  const framesOf = binary ? protobufFrames : watchEncoder;
  const frames = framesOf(store, representation, writer.chunked);
  const stream = new WatchStream(plan, frames, writer, watches);
  exchange.end.after(() => stream.stop());
  exchange.end.lasting = true;
  exchange.end.giveUp = () => stream.end();
  // It ends when its key expires or its right is revoked (pkg/server/revalidation/).
  call.watch = stream;
  const refused = start.refused ?? representation.refusal;
  if (refused === undefined) return stream.begin(start.initial);
  writer.write(frames.error(refused.status));
  writer.end();
}

/** In seconds; 0 means the server's default, and a negative number no time at all, as in kube-apiserver. */
export function durationOf({ timeoutSeconds = 0 }: Pick<ListOptions, 'timeoutSeconds'>): number {
  if (timeoutSeconds === 0) return MIN_DURATION_S * (1 + Math.random());
  return Math.min(Math.max(timeoutSeconds, 0), MAX_DURATION_S);
}

/** Undefined if the client has disconnected. */
async function openWriter(
  call: StoredKindRequest,
  contentType: string,
  binary: boolean,
): Promise<WatchWriter | undefined> {
  const { request, response, end, upgrade } = call.exchange;
  if (upgrade !== undefined) return acceptWebSocket(call.exchange, binary);
  // Over HTTP/1.1 a client that leaves is noticed once its body has been read.
  if (!request.complete && request.httpVersionMajor === 1)
    boundReceived(request, MAX_RECEIVED_BYTES, () => end.cut());
  response.writeHead(200, commonHeaders(call, contentType));
  response.flushHeaders();
  return watchWriter(response);
}

interface WatchStart {
  readonly after: number;
  readonly initial: Snapshot | undefined;
  /** The error to send in place of events. */
  readonly refused?: StatusError;
}

/** From which revision, and with which state first: as `k8s.io/apiserver/pkg/storage/cacher` decides. */
async function startOf(
  store: ResourceStore,
  { resourceVersion, sendInitialEvents }: ListOptions,
  revision: ReadRevision,
): Promise<WatchStart> {
  const version = parseResourceVersion(resourceVersion);
  if (version > 0 && sendInitialEvents !== true) return { after: version, initial: undefined };
  if (version > 0 && !(await store.cache.reach(version, REACH_TIMEOUT))) {
    const refused = futureRevision(resourceVersion, store.cache.latest().revision, 1);
    return { after: version, initial: undefined, refused };
  }
  const snapshot = resourceVersion === '' ? await currentSnapshot(store, revision) : store.cache.latest();
  if (snapshot === undefined) throw new CacheUnavailable('the cache does not keep up with the store');
  return { after: snapshot.revision, initial: sendInitialEvents === true ? snapshot : undefined };
}
