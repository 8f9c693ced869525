/** The lines of a watch stream. A line is made once for each event and shared by all its watches. */
import { apiVersionOf, type KubeObject, type ObjectMeta } from '../../../api/resource.js';
import { encodeJson } from '../../apimachinery/encoding/json.js';
import { partialMetadataBytes } from '../../apimachinery/encoding/metadatabytes.js';
import { partialObjectMetadata, type MetaVersion } from '../../apimachinery/table.js';
import type { CacheEvent, Entry } from '../../cache/interface.js';
import { entryOf, type ResourceStore } from '../../registry/resourcestore.js';
import type { Selection } from '../../registry/generic/selectionpredicate.js';
import type { Representation, TableRequest } from '../responsewriters/representation.js';
import { bookmarkTable, eventTable } from '../responsewriters/tables.js';
import { wireForm } from './watchwriter.js';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** The event type of a change for a selection: an object that enters it is ADDED, one that leaves it is DELETED. */
export function eventType(event: CacheEvent, selection: Selection): EventType | undefined {
  const { entry, previous, deleted } = event;
  const before = previous !== undefined && (selection.all || selection.matches(previous));
  if (deleted) return before ? 'DELETED' : undefined;
  const after = selection.all || selection.matches(entry);
  if (after) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}

export interface WatchEncoder {
  ofEvent(event: CacheEvent, type: EventType): Buffer;
  /** An object of the state that the watch begins with. */
  ofInitial(entry: Entry): Buffer;
  bookmark(revision: number, annotations?: Record<string, string>): Buffer;
  /** `object`: a Status. */
  error(object: object): Buffer;
}

export function watchEncoder(
  store: ResourceStore,
  { table, metadata }: Pick<Representation, 'table' | 'metadata'>,
  chunked: boolean,
): WatchEncoder {
  const form =
    table !== undefined
      ? tableForm(store, table)
      : metadata !== undefined
        ? metadataForm(metadata)
        : wholeForm();
  const names = frameNames(form.name, chunked ? 'chunk' : 'line');
  const line = (type: EventType, entry: Entry): Buffer =>
    wireForm(eventLine(type, form.object(entry)), chunked);
  const document = (value: object): Buffer => wireForm(Buffer.from(`${encodeJson(value)}\n`), chunked);
  return {
    ofEvent(event, type) {
      const leaves = type === 'DELETED' && !event.deleted;
      const make = (): Buffer => line(type, leaves ? deselectedEntry(store, event) : event.entry);
      return form.shared() ? event.frame(names[leaves ? 'LEFT' : type], make) : make();
    },
    ofInitial: (entry) => line('ADDED', entry),
    bookmark(revision, annotations) {
      const object = emptyObject(store, {
        resourceVersion: String(revision),
        ...(annotations && { annotations }),
      });
      return document({ type: 'BOOKMARK', object: form.bookmark(object) });
    },
    error: (object) => document({ type: 'ERROR', object }),
  };
}

/**
 * The object of a bookmark. Of Kubernetes' own kinds it has the zero value of each member that Go does not omit, which
 * clients with types require; a custom resource has metadata alone.
 */
function emptyObject({ definition, schema }: ResourceStore, metadata: ObjectMeta): KubeObject {
  const object = { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata };
  if (definition.builtIn) schema.applyDefaults(object);
  return object;
}

/** Frames of equal name are equal. Made once for each watch: V8 would hash a new text again for each event. */
export const frameNames = (form: string, framing: string): Readonly<Record<EventType | 'LEFT', string>> => ({
  ADDED: `${form}:ADDED:${framing}`,
  MODIFIED: `${form}:MODIFIED:${framing}`,
  DELETED: `${form}:DELETED:${framing}`,
  LEFT: `${form}:LEFT:${framing}`,
});

/** The form of the objects of a stream. */
interface EventForm {
  /** Forms of equal name are equal. */
  readonly name: string;
  /** Whether the next frame is one that other watches have too. */
  shared(): boolean;
  /** Compact JSON. */
  object(entry: Entry): Buffer;
  bookmark(object: KubeObject): object;
}

const always = (): boolean => true;

const wholeForm = (): EventForm => ({
  name: 'json',
  shared: always,
  object: ({ bytes }) => bytes,
  bookmark: (object) => object,
});

const metadataForm = (version: MetaVersion): EventForm => ({
  name: `metadata:${version}`,
  shared: always,
  object: ({ bytes }) => partialMetadataBytes(bytes, version),
  bookmark: (object) => partialObjectMetadata(object, version),
});

/** Each object is a Table of one row; only the first has the columns. */
function tableForm(store: ResourceStore, request: TableRequest): EventForm {
  let begun = false;
  const begin = (): boolean => {
    const first = !begun;
    begun = true;
    return first;
  };
  return {
    name: `table:${request.version}:${request.includeObject}`,
    shared: () => begun,
    object: (entry) => eventTable(store, entry, request, begin()),
    bookmark: (object) => bookmarkTable(store, object, request, begin()),
  };
}

/** The previous object, with the revision of the change that removed it from a selection. */
export function deselectedEntry(store: ResourceStore, { previous, entry, revision }: CacheEvent): Entry {
  const last = previous ?? entry;
  const bytes = store.codec.restamp(last.bytes, last.revision, revision);
  return entryOf(last, revision, bytes);
}

function eventLine(type: EventType, object: Buffer): Buffer {
  const head = `{"type":"${type}","object":`;
  const line = Buffer.allocUnsafe(head.length + object.length + 2);
  line.write(head, 0, 'latin1');
  object.copy(line, head.length);
  line.write('}\n', line.length - 2, 'latin1');
  return line;
}
