/** Requests for Secrets to the API server of a cluster. */
import type { TakeEvent } from '../../../api/client/reflector.js';
import type { ObjectKey } from '../../../api/resource.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import { listOf, textIn } from '../../apimachinery/encoding/members.js';
import { AnswerTooLarge, type Connection } from '../clusters/client/interface.js';
import { eventOf } from '../../controllers/event.js';
import { metadataOf, resourceVersionOf, textsOf, type SecretMetadata } from './labels.js';
import { SYNCED, type LiveSecret, type Outcome, type Plan } from './plan.js';

const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const EVENT_METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
/** The maximum of Secrets in a page of a list, as responses are bounded in bytes. */
const PAGE = 64;
/** The maximum bytes of a page, and of an event: one Secret with all the metadata that it is likely to have. */
const PAGE_BYTES = 1024 * 1024;
const WATCH_SECONDS = 60;
/** The maximum of Secrets in a list, and of characters in the token of its next page. */
const MAX_LISTED = 50_000;
const MAX_CONTINUE = 8_192;

/** Thrown when the cluster refuses a request. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(readonly status: number) {
    super(`the cluster answers ${status}`);
  }
}

const pathOf = ({ namespace, name }: ObjectKey): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;

/** Undefined: it does not exist. Throws Refused and the errors of the connection. */
export async function readSecret(connection: Connection, key: ObjectKey): Promise<LiveSecret | undefined> {
  const { status, object } = await connection.request({ method: 'GET', path: pathOf(key) });
  if (status === 404) return undefined;
  if (status !== 200) throw new Refused(status);
  return isNamed(object, key) ? object : undefined;
}

/** A cluster may answer with another Secret than the requested one. */
function isNamed(object: LiveSecret, { namespace, name }: ObjectKey): boolean {
  const found = metadataOf(object);
  return found?.namespace === namespace && found.name === name;
}

/** Undefined: a conflict. Throws Refused. */
async function writeSecret(connection: Connection, secret: LiveSecret): Promise<LiveSecret | undefined> {
  const { namespace = '', name = '' } = metadataOf(secret) ?? {};
  const body = { ...secret, apiVersion: 'v1', kind: 'Secret' };
  const path = `${pathOf({ namespace, name })}?fieldManager=management-secret-sync`;
  const { status, object } = await connection.request({ method: 'PUT', path, body });
  if (status === 404 || status === 409) return undefined;
  if (status !== 200) throw new Refused(status);
  return isNamed(object, { namespace, name }) ? object : undefined;
}

/** Undefined: the name exists. Throws Refused. */
export async function createSecret(
  connection: Connection,
  secret: LiveSecret,
): Promise<LiveSecret | undefined> {
  const { namespace = '', name = '' } = textsOf(secret.metadata);
  const body = { ...secret, apiVersion: 'v1', kind: 'Secret' };
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets?fieldManager=management-secret-sync`;
  const { status, object } = await connection.request({ method: 'POST', path, body });
  if (status === 409) return undefined;
  if (status !== 201) throw new Refused(status);
  return isNamed(object, { namespace, name }) ? object : undefined;
}

/** Removes the Secret as it was read. False: it has changed. Throws Refused. */
export async function removeSecret(connection: Connection, secret: LiveSecret): Promise<boolean> {
  const { namespace = '', name = '', uid, resourceVersion } = metadataOf(secret) ?? {};
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid, resourceVersion } };
  const { status } = await connection.request({ method: 'DELETE', path: pathOf({ namespace, name }), body });
  if (status === 409) return false;
  if (status >= 300 && status !== 404) throw new Refused(status);
  return true;
}

/** Undefined: a conflict. */
export async function carryOut(
  connection: Connection,
  live: LiveSecret,
  { put, remove }: Plan,
): Promise<SecretMetadata | undefined> {
  if (remove === true) return (await removeSecret(connection, live)) ? metadataOf(live) : undefined;
  return metadataOf(put === undefined ? live : await writeSecret(connection, put));
}

/** Records an Event in the namespace of a Secret. */
export async function recordEvent(
  connection: Connection,
  secret: LiveSecret,
  { reason, message }: Outcome,
): Promise<void> {
  const { namespace = '', name = '', uid, resourceVersion } = metadataOf(secret) ?? {};
  const body = eventOf({
    involvedObject: { apiVersion: 'v1', kind: 'Secret', namespace, name, uid, resourceVersion },
    type: reason === SYNCED ? 'Normal' : 'Warning',
    reason: `Secret${reason}`,
    message: message.slice(0, 1024),
    component: 'management-apiserver',
  });
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  await connection.request({ method: 'POST', path, body });
}

/** A list is longer than its limit. The pages that were read have this resourceVersion. */
export class ListTooLong extends Error {
  override readonly name = 'ListTooLong';
  constructor(
    readonly resourceVersion: string,
    message: string,
  ) {
    super(message);
  }
}

export interface SecretList {
  readonly label: string;
  readonly signal: AbortSignal;
  /** Absent: all namespaces. */
  readonly namespace?: string;
  /** The maximum bytes of all pages; absent: {@link MAX_LISTED} is the only limit. */
  readonly maxBytes?: number;
}

/**
 * Lists the metadata of the Secrets with a label, in pages; returns the resourceVersion of the list. A page
 * that is too large is requested again in smaller ones. Throws Refused, the errors of the connection, and
 * ListTooLong.
 */
export async function listSecrets(
  connection: Pick<Connection, 'request'>,
  { label, signal, namespace, maxBytes = Infinity }: SecretList,
  each: (object: unknown) => void,
): Promise<string> {
  const inside = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  let limit = PAGE;
  let [next, version] = ['', ''];
  let [read, bytes] = [0, 0];
  for (;;) {
    signal.throwIfAborted();
    const path = `/api/v1${inside}/secrets?labelSelector=${encodeURIComponent(label)}&limit=${limit}&continue=${encodeURIComponent(next)}`;
    const page = await readPage(connection, path, each);
    if (page === undefined) {
      if (limit === 1) throw new ListTooLong(version, 'a Secret of the cluster is too large to be listed');
      limit = Math.floor(limit / 2);
      continue;
    }
    read += page.count;
    bytes += page.bytes;
    ({ next, version } = page);
    if (next === '') return version;
    if (read > MAX_LISTED)
      throw new ListTooLong(version, `the cluster lists more than ${MAX_LISTED} Secrets`);
    if (bytes > maxBytes || next.length > MAX_CONTINUE)
      throw new ListTooLong(version, 'the list of Secrets of the cluster is too long');
  }
}

interface Page {
  readonly count: number;
  readonly bytes: number;
  /** The token of the next page; `''`: it is the last one. */
  readonly next: string;
  readonly version: string;
}

/** Undefined: it is too large. The Secrets are not held while the next page is waited for. */
async function readPage(
  connection: Pick<Connection, 'request'>,
  path: string,
  each: (object: unknown) => void,
): Promise<Page | undefined> {
  let bytes = 0;
  const measured = (length: number): void => void (bytes = length);
  try {
    const { status, object } = await connection.request({
      method: 'GET',
      path,
      accept: METADATA,
      measured,
      maxBytes: PAGE_BYTES,
    });
    if (status !== 200) throw new Refused(status);
    const { items, metadata } = object;
    const maybeYield = slices();
    for (const item of listOf(items)) {
      each(item);
      await maybeYield();
    }
    // An empty page counts, too, as a cluster may send these without end.
    const count = Math.max(1, listOf(items).length);
    return {
      count,
      bytes,
      next: textIn(metadata, 'continue') ?? '',
      version: resourceVersionOf(metadata) ?? '',
    };
  } catch (error) {
    if (error instanceof AnswerTooLarge) return undefined;
    throw error;
  }
}

/** Watches the Secrets with a label. Resolves with the status when the watch has ended. */
export function watchSecrets(
  connection: Connection,
  { label, resourceVersion, signal }: { label: string; resourceVersion: string; signal: AbortSignal },
  take: TakeEvent<unknown>,
): Promise<number> {
  const query = `labelSelector=${encodeURIComponent(label)}&resourceVersion=${encodeURIComponent(resourceVersion)}`;
  return connection.watch({
    path: `/api/v1/secrets?watch=true&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&${query}`,
    accept: EVENT_METADATA,
    signal,
    skipLarger: PAGE_BYTES,
    onEvent: ({ type, object }) => (typeof type === 'string' ? take(type, object) : undefined),
  });
}
