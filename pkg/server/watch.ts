/** WATCH: one stream of events to one client. Frames are shared by all watchers of a representation. */
import { expired } from '../apimachinery/errors.js';
import type { StatusError } from '../apimachinery/errors.js';
import { encodeJson } from '../apimachinery/encoding/json.js';
import type { ListOptions } from '../apimachinery/options/list.js';
import { parseResourceVersion } from '../apimachinery/options/resourceversion.js';
import { parseQuery } from '../apimachinery/options/query.js';
import { apiVersionOf } from '../../api/resource.js';
import type { CacheEvent, Entry, Snapshot, Subscription } from '../cache/interface.js';
import { currentSnapshot } from '../registry/get.js';
import { entryOf } from '../registry/resourcestore.js';
import type { Selection } from '../registry/selection.js';
import type { ResourceCall } from './dispatch.js';
import { readListOptions } from './reads.js';
import { representationOf } from './representation.js';
import type { Representation } from './representation.js';
import { commonHeaders } from './send.js';
import { tableOf } from './tables.js';
import type { TickedWatch, Watches } from './watches.js';

/** A client that leaves this many bytes unread is cut off. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const BOOKMARK_MS = 60_000;
const LAST_BOOKMARK_MS = 2_000;
const MIN_DURATION_S = 1800;

interface WatchPlan {
  readonly options: ListOptions;
  readonly selection: Selection;
  readonly representation: Representation;
  /** Events after this revision. */
  readonly after: number;
  /** State to begin with, as ADDED events. */
  readonly initial: Snapshot | undefined;
}

export async function serveWatch(call: ResourceCall, watches: Watches): Promise<void> {
  const query = parseQuery(call.info.query);
  const representation = representationOf(call, query, 'watch');
  const { options, selection } = readListOptions(call, query, true);
  const plan = await planOf(call, options, selection, representation);
  const { response } = call.exchange;
  response.writeHead(200, commonHeaders(call, representation.contentType));
  response.flushHeaders();
  new WatchStream(call, plan, watches).begin();
}

async function planOf(
  call: ResourceCall,
  options: ListOptions,
  selection: Selection,
  representation: Representation,
): Promise<WatchPlan> {
  const version = parseResourceVersion(options.resourceVersion);
  const initialWanted = options.sendInitialEvents ?? version === 0;
  if (version > 0 && !initialWanted)
    return { options, selection, representation, after: version, initial: undefined };
  if (version > 0) await call.store.cache.reach(version, 3000);
  const fresh = options.resourceVersion === '' ? await currentSnapshot(call.store) : undefined;
  const snapshot = fresh ?? call.store.cache.latest();
  return {
    options,
    selection,
    representation,
    after: snapshot.revision,
    initial: initialWanted ? snapshot : undefined,
  };
}

class WatchStream implements TickedWatch {
  private subscription: Subscription | undefined;
  private readonly deadline: number;
  private nextBookmark = performance.now() + BOOKMARK_MS;
  private lastRevision: number;
  private tableBegun = false;
  private ended = false;

  constructor(
    private readonly call: ResourceCall,
    private readonly plan: WatchPlan,
    private readonly watches: Watches,
  ) {
    const { timeoutSeconds = 0 } = plan.options;
    const seconds = timeoutSeconds > 0 ? timeoutSeconds : MIN_DURATION_S * (1 + Math.random());
    this.deadline = performance.now() + seconds * 1000;
    this.lastRevision = plan.after;
  }

  begin(): void {
    const { store, info, exchange } = this.call;
    exchange.response.once('close', () => {
      this.stop();
    });
    this.sendInitial();
    const prefix = info.namespace === '' ? '' : `${info.namespace}/`;
    const result = store.cache.subscribe(
      { after: this.plan.after, prefix },
      {
        events: (events) => {
          this.send(events);
        },
        progress: (revision) => {
          this.lastRevision = Math.max(this.lastRevision, revision);
        },
        end: () => {
          this.end();
        },
      },
    );
    if ('oldest' in result) return this.tooOld(result.oldest);
    if (this.ended) return result.cancel();
    this.subscription = result;
    this.watches.add(this);
  }

  /** Current objects as ADDED, in key order, then the bookmark that ends them. */
  private sendInitial(): void {
    const { initial, selection, options } = this.plan;
    if (initial === undefined) return;
    const { info } = this.call;
    const frames: Buffer[] = [];
    for (const entry of initial.entries(info.namespace === '' ? '' : `${info.namespace}/`)) {
      if (selection.matches(entry)) frames.push(this.frame('ADDED', entry));
    }
    if (frames.length > 0) this.write(Buffer.concat(frames));
    if (options.allowWatchBookmarks) {
      this.bookmark({ 'k8s.io/initial-events-end': 'true' });
    }
  }

  private send(events: readonly CacheEvent[]): void {
    const frames: Buffer[] = [];
    for (const event of events) {
      this.lastRevision = event.revision;
      const frame = this.frameOf(event);
      if (frame !== undefined) frames.push(frame);
    }
    if (frames.length > 0) this.write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames));
  }

  /** What this watch makes of a change: nothing, or a frame of the type that its selectors give it. */
  private frameOf(event: CacheEvent): Buffer | undefined {
    const { selection } = this.plan;
    const { entry, previous, deleted } = event;
    const before = previous !== undefined && (selection.all || selection.matches(previous));
    if (deleted) return before ? this.shared(event, 'DELETED', entry) : undefined;
    const after = selection.all || selection.matches(entry);
    if (after) return this.shared(event, before ? 'MODIFIED' : 'ADDED', entry);
    return before ? this.shared(event, 'DELETED', this.stamped(previous, event.revision)) : undefined;
  }

  /** The previous object with the revision of the change that took it out of the selection. */
  private stamped(previous: Entry, revision: number): Entry {
    const bytes = this.call.store.codec.restamp(previous.bytes, previous.revision, revision);
    return entryOf(previous.namespace, previous.name, revision, bytes);
  }

  private shared(event: CacheEvent, type: string, entry: Entry): Buffer {
    const { table } = this.plan.representation;
    if (table !== undefined) return this.frame(type, entry);
    return event.frame(type === 'DELETED' && !event.deleted ? 'json:LEFT' : `json:${type}`, () =>
      plainFrame(type, entry),
    );
  }

  private frame(type: string, entry: Entry): Buffer {
    const { table } = this.plan.representation;
    if (table === undefined) return plainFrame(type, entry);
    const object = tableOf(this.call.store, [entry], { resourceVersion: String(entry.revision) }, table);
    const document = this.tableBegun ? { ...object, columnDefinitions: null } : object;
    this.tableBegun = true;
    return Buffer.from(`${encodeJson({ type, object: document })}\n`);
  }

  private write(frame: Buffer): void {
    const { response } = this.call.exchange;
    if (this.ended || response.destroyed) return;
    response.write(frame);
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
  }

  private bookmark(annotations?: Record<string, string>): void {
    const { definition } = this.call.store;
    const metadata = { resourceVersion: String(this.lastRevision), ...(annotations && { annotations }) };
    const object = { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata };
    this.write(Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`));
  }

  tick(now: number): void {
    if (this.plan.options.allowWatchBookmarks && (now >= this.nextBookmark || this.lastChance(now))) {
      this.nextBookmark = now + BOOKMARK_MS;
      this.lastRevision = Math.max(this.lastRevision, this.caughtUp());
      if (this.lastRevision > this.plan.after || this.plan.initial !== undefined) this.bookmark();
    }
    if (now >= this.deadline) this.end();
  }

  /** Everything up to the cache's revision has been delivered once it passed where the watch began. */
  private caughtUp(): number {
    return this.call.store.cache.revision();
  }

  private lastChanceTaken = false;
  private lastChance(now: number): boolean {
    if (this.lastChanceTaken || now < this.deadline - LAST_BOOKMARK_MS) return false;
    this.lastChanceTaken = true;
    return true;
  }

  private tooOld(oldest: number): void {
    const after = this.plan.options.resourceVersion;
    this.error(expired(`too old resource version: ${after} (${oldest})`));
  }

  private error(failure: StatusError): void {
    this.write(Buffer.from(`${encodeJson({ type: 'ERROR', object: failure.status })}\n`));
    this.end();
  }

  end(): void {
    if (this.ended) return;
    this.stop();
    this.call.exchange.response.end();
  }

  private stop(): void {
    this.ended = true;
    this.subscription?.cancel();
    this.watches.remove(this);
  }
}

function plainFrame(type: string, entry: Entry): Buffer {
  const head = `{"type":"${type}","object":`;
  const frame = Buffer.allocUnsafe(head.length + entry.bytes.length + 2);
  frame.write(head, 0, 'latin1');
  entry.bytes.copy(frame, head.length);
  frame.write('}\n', frame.length - 2, 'latin1');
  return frame;
}
