import { badRequest, invalid } from '../../apimachinery/errors.js';
import {
  LIST_OPTIONS_KIND,
  parseListOptions,
  validateListOptions,
  type ListOptions,
} from '../../apimachinery/options/list.js';
import { booleanParameter, parseQuery, type Query } from '../../apimachinery/options/query.js';
import { escapeFieldValue } from '../../apimachinery/selectors/fields.js';
import { listObjects, type Page } from '../../registry/generic/list.js';
import { getObject } from '../../registry/generic/get.js';
import { parseSelection, type Selection } from '../../registry/generic/selectionpredicate.js';
import { inTime } from '../filters/deadline.js';
import type { StoredKindRequest } from '../requestcontext.js';
import { documentChunks, chunksOf } from '../responsewriters/listencoder.js';
import type { BlockCache } from '../responsewriters/listgzip/blockcache.js';
import { objectBody } from '../responsewriters/objectencoder.js';
import { isWithoutValues, representationOf, type Representation } from '../responsewriters/representation.js';
import { acceptsGzip, commonHeaders, sendBytes } from '../responsewriters/send.js';
import { sendListChunks, sendPlainPage, type SendPageOptions } from '../responsewriters/sendlist.js';
import { sendProtobufPage } from '../responsewriters/sendprotobuf.js';
import { warnOfUndecryptable } from './undecryptable.js';

export async function serveGet(call: StoredKindRequest): Promise<void> {
  const { info, store } = call;
  const query = parseQuery(info.query);
  const representation = representationOf(call, query, 'object');
  if (isWithoutValues(representation)) call.audit?.withoutValues();
  if (booleanParameter(query, 'export')) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  }
  const resourceVersion = query.get('resourceVersion') ?? '';
  const found = getObject(store, info, resourceVersion, call.revision);
  const entry = found instanceof Promise ? await inTime(call, found) : found;
  const body = objectBody(store, entry, info, representation);
  const headers = commonHeaders(call, representation.contentType);
  await sendBytes(call, 200, body instanceof Promise ? await body : body, headers);
}

/** The validated options of a list or watch. Throws StatusError 400 and 422. */
export function readListOptions(
  call: StoredKindRequest,
  query: Query,
  watch: boolean,
): { options: ListOptions; selection: Selection } {
  const parsed = parseListOptions(query);
  const options = watch ? withInitialEvents(parsed) : parsed;
  const errors = validateListOptions(options, watch);
  if (errors.length > 0) throw invalid(LIST_OPTIONS_KIND, '', errors);
  const selection = parseSelection(call.store.definition, options);
  return { options, selection: named(call, options, selection) };
}

/** The deprecated watch of one object names it in its path; a selector must then name the same. */
function named({ info, store }: StoredKindRequest, options: ListOptions, selection: Selection): Selection {
  if (info.name === '') return selection;
  const fieldSelector = `metadata.name=${escapeFieldValue(info.name)}`;
  if (options.fieldSelector === '') return parseSelection(store.definition, { ...options, fieldSelector });
  if (selection.name === info.name) return selection;
  throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

/** A watch from the newest or any state begins with that state (`WatchList`, on since Kubernetes 1.34). */
function withInitialEvents(options: ListOptions): ListOptions {
  const { resourceVersion, resourceVersionMatch, sendInitialEvents } = options;
  const anyState = resourceVersion === '' || resourceVersion === '0';
  if (!anyState || resourceVersionMatch !== '' || sendInitialEvents !== undefined) return options;
  return { ...options, resourceVersionMatch: 'NotOlderThan', sendInitialEvents: true };
}

export async function serveList(call: StoredKindRequest, blocks: BlockCache): Promise<void> {
  const query = parseQuery(call.info.query);
  const representation = representationOf(call, query, 'list');
  if (isWithoutValues(representation)) call.audit?.withoutValues();
  const { options, selection } = readListOptions(call, query, false);
  const list = { namespace: call.info.namespace, options, selection, view: call.view };
  const page = await inTime(call, listObjects(call.store, list, call.revision));
  warnOfUndecryptable(call);
  await sendPage(call, representation, page, { limited: options.limit > 0, blocks });
}

/** Sends a list; long ones stream. Rejects with StatusError 406. */
export async function sendPage(
  call: StoredKindRequest,
  representation: Representation,
  page: Page,
  options: SendPageOptions,
): Promise<void> {
  if (representation.refusal !== undefined) throw representation.refusal;
  if (representation.plain) return sendPlainPage(call, representation.contentType, page, options);
  if (representation.compact) {
    const chunks = chunksOf(call.store, representation, page, options.limited);
    return sendListChunks(call, representation.contentType, chunks, acceptsGzip(call));
  }
  if (representation.mediaType === 'protobuf') return sendProtobufPage(call, representation, page);
  const chunks = documentChunks(call.store, representation, page);
  return sendListChunks(call, representation.contentType, chunks, acceptsGzip(call));
}
