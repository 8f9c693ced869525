/** The lines of a watch stream. A line of plain JSON is made once for each event and shared by all its watches. */
import { apiVersionOf } from '../../api/resource.js';
import { encodeJson } from '../apimachinery/encoding/json.js';
import type { CacheEvent, Entry } from '../cache/interface.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import { entryOf } from '../registry/resourcestore.js';
import type { Selection } from '../registry/selection.js';
import type { TableRequest } from './representation.js';
import { tableOf } from './tables.js';
import { wireForm } from './watchoutlet.js';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What a selection makes of a change: an object that comes into it is ADDED, one that leaves it is DELETED. */
export function eventType(event: CacheEvent, selection: Selection): EventType | undefined {
  const { entry, previous, deleted } = event;
  const before = previous !== undefined && (selection.all || selection.matches(previous));
  if (deleted) return before ? 'DELETED' : undefined;
  const after = selection.all || selection.matches(entry);
  if (after) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}

export interface WatchFrames {
  ofEvent(event: CacheEvent, type: EventType): Buffer;
  /** An object of the state that the watch begins with. */
  ofInitial(entry: Entry): Buffer;
  bookmark(revision: number, annotations?: Record<string, string>): Buffer;
  /** `object`: a Status. */
  error(object: object): Buffer;
}

export function watchFrames(
  store: ResourceStore,
  table: TableRequest | undefined,
  chunked: boolean,
): WatchFrames {
  const write = (document: object): Buffer => wireForm(Buffer.from(`${encodeJson(document)}\n`), chunked);
  const plain = (type: EventType, entry: Entry): Buffer => wireForm(plainLine(type, entry), chunked);
  const tables = tableLines(store, write);
  const { definition } = store;
  return {
    ofEvent(event, type) {
      const leaves = type === 'DELETED' && !event.deleted;
      if (table !== undefined) return tables(type, leaves ? leaver(store, event) : event.entry, table);
      const key = `json:${leaves ? 'LEFT' : type}:${chunked ? 'chunk' : 'line'}`;
      return event.frame(key, () => plain(type, leaves ? leaver(store, event) : event.entry));
    },
    ofInitial: (entry) => (table === undefined ? plain('ADDED', entry) : tables('ADDED', entry, table)),
    bookmark(revision, annotations) {
      const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) };
      const object = { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata };
      return write({ type: 'BOOKMARK', object });
    },
    error: (object) => write({ type: 'ERROR', object }),
  };
}

/** The object as it was, with the revision of the change that took it out of a selection. */
function leaver(store: ResourceStore, { previous, entry, revision }: CacheEvent): Entry {
  const last = previous ?? entry;
  const bytes = store.codec.restamp(last.bytes, last.revision, revision);
  return entryOf(last.namespace, last.name, revision, bytes);
}

/** Each object as a Table of one row; only the first tells the columns. */
function tableLines(store: ResourceStore, write: (document: object) => Buffer) {
  let begun = false;
  return (type: EventType, entry: Entry, request: TableRequest): Buffer => {
    const whole = tableOf(store, [entry], { resourceVersion: String(entry.revision) }, request);
    const object = begun ? { ...whole, columnDefinitions: null } : whole;
    begun = true;
    return write({ type, object });
  };
}

function plainLine(type: EventType, entry: Entry): Buffer {
  const { bytes } = entry;
  const head = `{"type":"${type}","object":`;
  const line = Buffer.allocUnsafe(head.length + bytes.length + 2);
  line.write(head, 0, 'latin1');
  bytes.copy(line, head.length);
  line.write('}\n', line.length - 2, 'latin1');
  return line;
}
