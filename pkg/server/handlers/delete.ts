import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { decodeBody } from '../../apimachinery/encoding/body.js';
import { DELETE_OPTIONS } from '../../apimachinery/encoding/protobuf/documents.js';
import { protobufOf } from '../../apimachinery/encoding/protobuf/kind.js';
import { badRequest, invalid, printValue } from '../../apimachinery/errors.js';
import {
  DELETE_OPTIONS_KIND,
  deleteOptionsFromBody,
  parseDeleteOptions,
  validateDeleteOptions,
  type DeleteOptions,
} from '../../apimachinery/options/delete.js';
import { parseQuery, type Query } from '../../apimachinery/options/query.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { WriteContextOptions } from '../../registry/generic/create.js';
import { deleteObject, deleteUnreadable } from '../../registry/generic/delete.js';
import { deleteCollection } from '../../registry/generic/deletecollection.js';
import { entryOf, type ResourceStore } from '../../registry/resourcestore.js';
import { warn, type StoredKindRequest } from '../requestcontext.js';
import type { DecideParts } from '../filters/authorization.js';
import { inTime } from '../filters/deadline.js';
import { listed, mayGet, metadataAlone, withoutContent } from './answerform.js';
import { warnOfWaiting } from './deletewarnings.js';
import { type BlockingDependents } from '../dependencies.js';
import { readListOptions, sendPage } from './read.js';
import { representationOf, writeDocument } from '../responsewriters/representation.js';
import { permittedBody } from './permittedbody.js';
import { commonHeaders, sendBytes } from '../responsewriters/send.js';
import { sendStored } from './sendstored.js';
import { checkDeletesLost } from './undecryptable.js';
import { isYaml, readYaml, senderOf } from '../yamlworker/readyaml.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** The dependencies of a DELETE's warnings. */
export interface DeleteDependencies {
  readonly authorizer: Authorizer;
  readonly blockingDependents: BlockingDependents;
}

export async function serveDelete(
  call: StoredKindRequest,
  { authorizer, blockingDependents }: DeleteDependencies,
): Promise<void> {
  const { info, store } = call;
  const query = parseQuery(info.query);
  const representation = representationOf(call, query, 'object');
  const deletion = await deleteOptions(call, query);
  await checkDeletesLost(call, deletion, authorizer);
  const readable = mayGet(call, authorizer);
  const remove = store.definition.verbs.includes(info.verb) ? deleteObject : deleteUnreadable;
  const deleted = await inTime(call, remove(store, info, deletion, contextOf(call, deletion)));
  const waits = deleted.outcome === 'waits';
  const waiting = deleted.outcome === 'as before' ? deleted.before : waits ? deleted.object : undefined;
  if (waiting !== undefined) {
    const object = parseStored<KubeObject>(waiting.bytes);
    await warnOfWaiting(call, object, authorizer, blockingDependents);
  }
  const code = waits && deletion.orphanDependents === false ? 202 : 200;
  if (deleted.object !== undefined)
    return sendStored(call, code, deleted.object, { representation, readable: await readable });
  const body = writeDocument(deleted.status, representation);
  await sendBytes(call, code, body, commonHeaders(call, representation.contentType));
}

export async function serveDeleteCollection(call: StoredKindRequest, parts: DecideParts): Promise<void> {
  const { info, store } = call;
  const query = parseQuery(info.query);
  const representation = representationOf(call, query, 'list');
  const deletion = await deleteOptions(call, query, true);
  const { options, selection } = readListOptions(call, query, false);
  const seen = listed(call, parts);
  const page = await deleteCollection(
    store,
    { namespace: info.namespace, options, selection, view: call.view },
    isTerminating(store, info.namespace) ? { ...deletion, gracePeriodSeconds: 0 } : deletion,
    contextOf(call, deletion),
    (work) => inTime(call, work),
  );
  const sees = await seen;
  const all = [...page.entries];
  if (all.every(sees)) return sendPage(call, representation, { ...page, entries: all }, { limited: true });
  const entries = all.map((entry) => entryOf(entry, entry.revision, withoutContent(entry.bytes)));
  await sendPage(call, metadataAlone(representation), { ...page, entries }, { limited: true });
}

/** Objects in a terminating namespace have no grace period. */
function isTerminating({ peer }: ResourceStore, namespace: string): boolean {
  if (namespace === '') return false;
  const { cache } = peer({ group: '', plural: 'namespaces' });
  return cache.latest().get(namespace)?.object().metadata.deletionTimestamp !== undefined;
}

/** From the body if there is one, else from the query. Throws StatusError 400, 413, 415, 422. */
async function deleteOptions(
  call: StoredKindRequest,
  query: Query,
  ofCollection = false,
): Promise<DeleteOptions> {
  const body = await permittedBody(call);
  const contentType = call.exchange.request.headers['content-type'];
  const protobuf = protobufOf(call.store.definition) && DELETE_OPTIONS;
  const yaml = isYaml(contentType) ? await readYaml(body, senderOf(call.exchange)) : undefined;
  const form = { kind: 'DeleteOptions', bare: ofCollection, protobuf, readYaml: yaml };
  const value =
    body.length === 0 ? undefined : deleteOptionsBody(decodeBody(body, contentType, false, form).value);
  if (value !== undefined) call.audit?.sent(value);
  const options = value === undefined ? parseDeleteOptions(query) : deleteOptionsFromBody(value);
  const errors = validateDeleteOptions(options, ofCollection);
  if (errors.length > 0) throw invalid(DELETE_OPTIONS_KIND, '', errors);
  return options;
}

/** Any apiVersion passes for kind DeleteOptions; another kind does not. */
function deleteOptionsBody(value: JsonValue): Record<string, JsonValue> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw badRequest(
      "couldn't get version/kind; json parse error: the body must be an object of kind DeleteOptions",
    );
  }
  const { kind, apiVersion } = value;
  if (kind === undefined || kind === 'DeleteOptions') return value;
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  throw badRequest(
    `no kind ${printValue(kind)} is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function contextOf(call: StoredKindRequest, { dryRun }: DeleteOptions): WriteContextOptions {
  return {
    requester: call.user,
    dryRun: dryRun.length > 0,
    warn: (text) => {
      warn(call, text);
    },
  };
}
